//! Plans.

use docwright_operations::plans::{self, PlanLimits, PlanList, SetPlan};
use docwright_types::plan::Plan;
use reqwest::Method;

use super::{Client, command_error};

impl Client {
    pub(in crate::commands::admin) async fn list_plans(&self) -> anyhow::Result<PlanList> {
        match self {
            Self::Local(local) => {
                plans::list(&local.operations, &local.caller()?).await.map_err(command_error)
            }
            Self::Remote(remote) => remote.get("/v1/plans").await,
        }
    }

    pub(in crate::commands::admin) async fn set_plan(
        &self,
        plan: Plan,
        input: SetPlan,
    ) -> anyhow::Result<PlanLimits> {
        match self {
            Self::Local(local) => {
                let set = plans::set(&local.operations, &local.caller()?, plan, input).await;
                set.map_err(command_error)
            }
            Self::Remote(remote) => {
                remote.send(Method::PUT, &format!("/v1/plans/{plan}"), &input).await
            }
        }
    }
}
