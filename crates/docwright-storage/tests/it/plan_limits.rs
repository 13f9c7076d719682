//! Limits of plans, and usage of organizations.

use docwright_storage::{
    Database, StorageError,
    database::{Invited, NewAccount, NewInvitation, Organization, OrganizationChange, PageRequest},
};
use docwright_types::{
    account::Role,
    plan::{Limits, Plan},
    release::Trigger,
    timestamp::DAY,
};

use docwright_testing::database::TestDatabase;

pub(crate) async fn conform(place: &TestDatabase) {
    let database = &place.database;
    let before = database.plan_limits(Plan::Pro).await.unwrap().limits;
    assert_eq!(before.members, None, "plans have no limits by default");
    members(database).await;
    assert!(database.set_plan_limits(Plan::Pro, before, None).await.unwrap());
    usage(place).await;
}

fn account(name: &str) -> NewAccount {
    let email = format!("{name}@plans.example.com").parse().unwrap();
    NewAccount { email, name: name.to_owned(), password: None }
}

/// Invites an address and accepts the invitation.
async fn join(database: &Database, to: &Organization, name: &str) -> Result<String, StorageError> {
    let new = account(name);
    let invitation = NewInvitation {
        organization_id: &to.id,
        email: &new.email,
        role: Role::Viewer,
        invited_by: "a test",
        expires_at: DAY,
    };
    let Invited::Asked(_, token) = database.invite(&invitation, 1).await? else {
        panic!("{name} was not invited")
    };
    let accepted = database.accept_invitation(&token, Err(&new), 2).await?;
    Ok(accepted.unwrap().1.id)
}

async fn members(database: &Database) {
    let organization = database.create_organization("Small", Plan::Pro, 1).await.unwrap();
    let limits = Limits {
        static_export: false,
        projects: Some(0),
        members: Some(2),
        prompts_an_hour: 100,
        storage_bytes: None,
    };
    assert!(database.set_plan_limits(Plan::Pro, limits, None).await.unwrap());
    assert_eq!(database.plan_limits(Plan::Pro).await.unwrap().limits, limits);
    let first = join(database, &organization, "first").await.unwrap();
    join(database, &organization, "second").await.unwrap();
    let third = join(database, &organization, "third").await.unwrap_err();
    assert!(matches!(&third, StorageError::PlanLimit(why) if why.contains("2 members")), "{third}");
    let email = account("third").email;
    let left = database.account_of_email(&email).await.unwrap();
    assert!(left.is_none(), "a refused member leaves no account");
    let standing = database.invitations(&organization.id, 2, PageRequest::first(10)).await.unwrap();
    assert_eq!(standing.len(), 1, "the invitation stays");
    // Members stay when the limit shrinks, and their roles can change.
    let shrunk = Limits { members: Some(1), ..limits };
    database.set_plan_limits(Plan::Pro, shrunk, None).await.unwrap();
    database.add_member(&organization.id, &first, Role::Admin, 3).await.unwrap();
    let role = database.role(&organization.id, &first).await.unwrap();
    assert_eq!(role, Some(Role::Admin));
    // Another plan has room for more members.
    database
        .update_organization(
            &organization.id,
            OrganizationChange { plan: Some(Plan::Enterprise), ..OrganizationChange::default() },
        )
        .await
        .unwrap();
    join(database, &organization, "third").await.unwrap();
}

async fn usage(place: &TestDatabase) {
    let database = &place.database;
    let (site, _) = place.site("usage").await;
    let project = database.project(&site.project_id).await.unwrap().unwrap();
    let id = project.organization_id;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = i64::try_from(now.as_millis()).unwrap();
    let before = database.usage(&id, now - DAY).await.unwrap();
    database.request_update(&project.id, None, Trigger::Api, None, now).await.unwrap();
    place
        .execute(&format!(
            "INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, failures, run_after, \
             created_at, updated_at) VALUES ('agt_usage', '{}', 'archived', '', '', '{{}}', '[]', 0, 0, 0, 0)",
            project.id
        ))
        .await;
    for (number, at) in [(1, now - 2 * DAY), (2, now)] {
        place
            .execute(&format!(
                "INSERT INTO agent_messages (job_id, number, project_id, prompt, created_at) \
                 VALUES ('agt_usage', {number}, '{}', 'x', {at})",
                project.id
            ))
            .await;
    }
    let after = database.usage(&id, now - DAY).await.unwrap();
    assert_eq!(after.releases, before.releases + 1);
    assert_eq!(after.prompts, before.prompts + 1, "earlier prompts don't count");
    assert_eq!(after.projects, 1);
    let none = database.usage(&id, now + DAY).await.unwrap();
    assert_eq!((none.releases, none.prompts, none.exports), (0, 0, 0));
}
