//! The limits and features of each plan, for operators.

use axum::{
    extract::{Path, State},
    http::StatusCode,
    response::Response,
};
use docwright_operations::{
    OperationError,
    fields::field,
    plans::{self, Amount, PlanLimits, PlanList, SetPlan},
};
use docwright_types::plan::Plan;
use maud::{Markup, html};
use serde::Deserialize;

use crate::{
    Dashboard,
    forms::{Form, is_stale, revision},
    parts::{self, problem, stored},
    project_context::InstancePlace,
    refusal::Refusal,
    words::{self, Done},
};

#[derive(Deserialize)]
pub(super) struct LimitsForm {
    /// Browsers don't send unchecked boxes.
    static_export: Option<String>,
    projects: String,
    members: String,
    prompts_an_hour: String,
    #[serde(default)]
    storage_bytes: String,
    revision: Option<String>,
}

impl From<&PlanLimits> for LimitsForm {
    fn from(plan: &PlanLimits) -> Self {
        let limits = &plan.limits;
        let text = |limit: Option<i64>| limit.map(|limit| limit.to_string()).unwrap_or_default();
        Self {
            static_export: limits.static_export.then(|| "on".to_owned()),
            projects: text(limits.projects.map(i64::from)),
            members: text(limits.members.map(i64::from)),
            prompts_an_hour: i64::from(limits.prompts_an_hour).to_string(),
            storage_bytes: text(limits.storage_bytes.map(i64::from)),
            revision: Some(plan.revision.to_string()),
        }
    }
}

impl LimitsForm {
    fn input(&self) -> Result<SetPlan, OperationError> {
        let prompts = limit("promptsAnHour", &self.prompts_an_hour)?;
        Ok(SetPlan {
            static_export: self.static_export.is_some(),
            projects: limit("projects", &self.projects)?,
            members: limit("members", &self.members)?,
            prompts_an_hour: prompts.map_or_else(|| field("promptsAnHour", "0"), Ok)?,
            storage_bytes: limit("storageBytes", &self.storage_bytes)?,
            revision: revision(self.revision.as_deref())?,
        })
    }
}

/// A change of a plan that was refused.
struct Refused {
    sentence: String,
    plan: Plan,
    /// The form, which is shown again.
    form: LimitsForm,
    is_stale: bool,
}

/// Parses a limit; an empty field means no limit.
fn limit<const LEAST: i64, const UP_TO: i64>(
    name: &str,
    text: &str,
) -> Result<Option<Amount<LEAST, UP_TO>>, OperationError> {
    let text = Some(text.trim()).filter(|text| !text.is_empty());
    if text.is_some_and(|text| text.parse::<i64>().is_err()) {
        return Err(OperationError::Invalid(words::NOT_A_LIMIT.to_owned()));
    }
    text.map(|text| field(name, text)).transpose()
}

pub(super) async fn show(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
) -> Result<Response, Refusal> {
    let list = plans::list(&dashboard.operations, &place.caller.allowed()?).await?;
    Ok(answer(&place, &list, None))
}

pub(super) async fn set(
    State(dashboard): State<Dashboard>,
    place: InstancePlace,
    Path(plan): Path<String>,
    Form(mut form): Form<LimitsForm>,
) -> Result<Response, Refusal> {
    let caller = place.caller.allowed()?;
    let plan = plan.parse::<Plan>().map_err(|_| Refusal::Missing)?;
    let set = match form.input() {
        Ok(input) => plans::set(&dashboard.operations, &caller, plan, input).await,
        Err(error) => Err(error),
    };
    let Err(refusal) = set.map_err(Refusal::from) else {
        return Ok(place.person.browser.done(Done::Saved, "/plans"));
    };
    let list = plans::list(&dashboard.operations, &place.caller.allowed()?).await?;
    let now = list.plans.iter().find(|each| each.name == plan).ok_or(Refusal::Missing)?;
    let is_stale = is_stale(&refusal, form.revision.as_deref(), now.revision);
    if is_stale {
        form.revision = Some(now.revision.to_string());
    }
    let refused = Refused { sentence: refusal.into_problem()?, plan, form, is_stale };
    Ok(answer(&place, &list, Some(&refused)))
}

fn answer(place: &InstancePlace, list: &PlanList, refused: Option<&Refused>) -> Response {
    let body = html! {
        h1 { (words::PLANS) }
        p { (words::PLANS_WHY) }
        div.cards {
            @for plan in &list.plans { (card(plan, refused.filter(|refused| refused.plan == plan.name))) }
        }
    };
    let status = match refused {
        Some(Refused { is_stale: true, .. }) => StatusCode::CONFLICT,
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    place.page_with(status, "plans", words::PLANS, &body)
}

fn card(stored_plan: &PlanLimits, refused: Option<&Refused>) -> Markup {
    let (plan, now) = (stored_plan.name.name(), LimitsForm::from(stored_plan));
    let form = refused.map_or(&now, |refused| &refused.form);
    // Each field has its plan in its id, since there are three of each on the page.
    let field = |name: &'static str, label: &str, value: &str, hint: Option<&str>| {
        let id = format!("{plan}-{name}");
        html! {
            div.field {
                label for=(id) { (label) }
                input id=(id) name=(name) type="text" inputmode="numeric" autocomplete="off" value=(value)
                    required[hint.is_none()] aria-describedby=[hint.map(|_| format!("{id}-hint"))];
                @if let Some(hint) = hint { p.hint id=(format!("{id}-hint")) { (hint) } }
            }
        }
    };
    html! {
        section.card aria-labelledby=(plan) {
            h2 id=(plan) { (words::plan(plan)) }
            (problem(refused.map(|refused| refused.sentence.as_str())))
            @if refused.is_some_and(|refused| refused.is_stale) { (stored(&facts(&now))) }
            form method="post" action=(format!("/plans/{plan}")) {
                (parts::revision(form.revision.as_deref()))
                label.choice {
                    input type="checkbox" name="static_export" checked[form.static_export.is_some()];
                    span { (words::STATIC_EXPORT) }
                }
                (field("projects", words::PROJECTS, &form.projects, Some(words::NO_LIMIT_HINT)))
                (field("members", words::MEMBERS, &form.members, Some(words::NO_LIMIT_HINT)))
                (field("prompts_an_hour", words::PROMPTS_AN_HOUR, &form.prompts_an_hour, None))
                (field("storage_bytes", words::STORAGE_BYTES, &form.storage_bytes, Some(words::STORAGE_BYTES_HINT)))
                button type="submit" { (words::SAVE) }
            }
        }
    }
}

fn facts(form: &LimitsForm) -> Markup {
    let includes = form.static_export.is_some();
    let limits = [
        (words::PROJECTS, &form.projects),
        (words::MEMBERS, &form.members),
        (words::PROMPTS_AN_HOUR, &form.prompts_an_hour),
        (words::STORAGE_BYTES, &form.storage_bytes),
    ];
    html! {
        dl.facts {
            dt { (words::STATIC_EXPORT) } dd { (if includes { words::PLAN_INCLUDES } else { words::PLAN_LACKS }) }
            @for (label, limit) in limits {
                dt { (label) } dd { (if limit.is_empty() { words::NO_LIMIT } else { limit.as_str() }) }
            }
        }
    }
}
