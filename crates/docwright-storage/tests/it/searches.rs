//! Searched and sorted lists: the same results on both databases, each record once, and none of other owners.

use docwright_storage::database::{
    Invited, NewFeedback, NewInvitation, NewKey, NewProject, PageRequest, Position, ProjectFilter,
    Sort, release_position,
};
use docwright_types::{
    account::Role,
    agent_job::AgentStatus,
    domain_address::DomainAddress,
    export_job::ExportStatus,
    feedback::{FeedbackState, GivenFrom},
    key::Scope,
    plan::Plan,
    preview::PreviewState,
    release::ReleaseStatus,
    site::{Activation, Site},
};

use docwright_testing::database::TestDatabase;

/// Names whose byte order matches no language's order, ignoring ASCII case. Characters with a meaning in SQL
/// patterns are literal.
const NAMES: [&str; 12] = [
    "%any",
    "a%b",
    "A-b",
    "a\\b",
    "a_b",
    "Aa",
    "aA 2",
    "ab",
    "b",
    "Zz",
    "\u{c4}pfel",
    "\u{e4}pfel",
];

/// Search texts, and the names that contain them.
const SEARCHES: [(&str, &[&str]); 11] = [
    ("a", &["%any", "a%b", "A-b", "a\\b", "a_b", "Aa", "aA 2", "ab"]),
    ("AA", &["Aa", "aA 2"]),
    ("%", &["%any", "a%b"]),
    ("a%", &["a%b"]),
    ("a_", &["a_b"]),
    ("a\\", &["a\\b"]),
    ("NY", &["%any"]),
    ("pf", &["\u{c4}pfel", "\u{e4}pfel"]),
    ("\u{c4}", &["\u{c4}pfel"]),
    ("\u{10ffff}", &[]),
    ("' OR 1 = 1 --", &[]),
];

pub(crate) async fn conform(place: &TestDatabase) {
    projects(place).await;
    organizations(place).await;
    keys(place).await;
    people(place).await;
    domains(place).await;
    work(place).await;
}

/// Reads a whole list in pages of two.
async fn all<T>(
    search: Option<&str>,
    position: impl Fn(&T) -> Position,
    read: impl AsyncFn(PageRequest<'_>) -> Vec<T>,
) -> Vec<T> {
    let (mut all, mut after) = (Vec::new(), None::<Position>);
    loop {
        let page = read(PageRequest { search, after: after.as_ref(), limit: 2 }).await;
        let Some(last) = page.last() else { return all };
        after = Some(position(last));
        all.extend(page);
        assert!(all.len() < 100, "the list doesn't end");
    }
}

async fn organization(place: &TestDatabase, name: &str) -> String {
    place.database.create_organization(name, Plan::Enterprise, 1).await.unwrap().id
}

async fn project(place: &TestDatabase, organization_id: &str, name: &str) -> String {
    let new = NewProject {
        organization_id,
        name,
        repository: "/r",
        docs_path: "",
        model: None,
        activation: Activation::Automatic,
    };
    place.database.create_project(new, 1).await.unwrap().id
}

async fn projects(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) = (
        organization(place, "sorted projects").await,
        organization(place, "projects of others").await,
    );
    for name in NAMES.iter().rev() {
        project(place, &own, name).await;
        project(place, &other, name).await;
    }
    for (of, times) in [(Some(own.as_str()), 1), (None, 2)] {
        let names = async |sort: Sort, search: Option<&str>| {
            let filter = ProjectFilter { organization_id: of, sort, ..ProjectFilter::default() };
            let found = all(
                search,
                |(each, _): &(docwright_storage::database::Project, String)| {
                    sort.position(&each.name, &each.id)
                },
                async |page| database.projects_page(filter, page).await.unwrap(),
            );
            let found = found.await.into_iter().map(|(project, _)| project);
            // Other tests have projects in this database, too.
            let ours = found.filter(|each| [&own, &other].contains(&&each.organization_id));
            ours.map(|project| project.name).collect::<Vec<_>>()
        };
        let twice = |names: &[&'static str]| {
            names.iter().flat_map(|name| std::iter::repeat_n(*name, times)).collect::<Vec<_>>()
        };
        if of.is_some() {
            assert_eq!(names(Sort::Name, None).await, twice(&NAMES));
            let newest = names(Sort::Newest, None).await;
            assert_eq!(newest, twice(&NAMES));
            assert_eq!(
                names(Sort::Oldest, None).await,
                NAMES.into_iter().rev().collect::<Vec<_>>()
            );
            let newest = names(Sort::Newest, Some("a")).await;
            assert_eq!(newest, SEARCHES[0].1);
        }
        for (search, expected) in SEARCHES {
            assert_eq!(names(Sort::Name, Some(search)).await, twice(expected), "{search}");
        }
    }
}

async fn organizations(place: &TestDatabase) {
    let database = &place.database;
    for name in ["Search b", "search A", "search%"] {
        organization(place, name).await;
    }
    let names = async |sort: Sort, search| {
        let found = all(
            Some(search),
            |each: &docwright_storage::database::Organization| sort.position(&each.name, &each.id),
            async |page| database.organizations_page(None, sort, page).await.unwrap(),
        );
        found.await.into_iter().map(|each| each.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Sort::Name, "SEARCH ").await, ["search A", "Search b"]);
    assert_eq!(names(Sort::Newest, "search").await, ["search%", "search A", "Search b"]);
    assert_eq!(names(Sort::Oldest, "search_").await, [""; 0]);
}

async fn keys(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) =
        (organization(place, "key search").await, organization(place, "keys of others").await);
    for (at, name, of) in
        [(1, "Deploy", &own), (2, "build", &own), (3, "build", &own), (4, "B", &other)]
    {
        let new = NewKey {
            organization_id: Some(of.clone()),
            name: name.to_owned(),
            scope: Scope::Read,
            projects: Vec::new(),
            allowlist: Vec::new(),
            days: None,
            created_by: None,
        };
        database.create_key(&new, 60_000_000_000 + at).await.unwrap();
    }
    let found = async |sort: Sort, search| {
        let found = all(
            search,
            |(key, _): &(docwright_types::key::ApiKey, _)| match sort {
                Sort::Name => Position::of_text(&key.name, &key.id),
                _ => Position::of_text(&key.created_at.to_string(), &key.id),
            },
            async |page| database.keys_page(Some(&own), sort, page).await.unwrap(),
        );
        let found = found.await.into_iter().map(|(key, _)| (key.name, key.created_at % 10));
        found.collect::<Vec<_>>()
    };
    let named = |name: &str, at| (name.to_owned(), at);
    let newest = [named("build", 3), named("build", 2), named("Deploy", 1)];
    assert_eq!(found(Sort::Newest, None).await, newest);
    assert_eq!(found(Sort::Newest, Some("BUI")).await, newest[..2]);
    let by_name = found(Sort::Name, None).await;
    assert_eq!((by_name.len(), &by_name[2]), (3, &newest[2]));
    assert_eq!(found(Sort::Oldest, Some("EPLO")).await, newest[2..]);
    for nothing in ["b%", "d_p", "dw_%"] {
        assert!(found(Sort::Newest, Some(nothing)).await.is_empty(), "{nothing}");
    }
    let (key, _) =
        &database.keys_page(Some(&own), Sort::Newest, PageRequest::first(1)).await.unwrap()[0];
    assert_eq!(found(Sort::Newest, Some(&format!("dw_{}", &key.id[..9]))).await, newest[..1]);
}

async fn people(place: &TestDatabase) {
    let database = &place.database;
    let (own, other) =
        (organization(place, "searched people").await, organization(place, "other people").await);
    for (number, email) in
        ["b@x.example", "a-c@x.example", "ab@x.example", "c@x.example"].iter().enumerate()
    {
        let id = format!("acc_people_{}", 9 - number);
        place.execute(&format!(
            "INSERT INTO accounts (id, email, name, is_operator, created_at) VALUES ('{id}', '{email}', 'Mx. N', 0, 1)"
        ))
        .await;
        let email = email.parse().unwrap();
        let of = if number == 3 { &other } else { &own };
        database.add_member(of, &id, Role::Viewer, 1).await.unwrap();
        let new = NewInvitation {
            organization_id: if number == 3 { &own } else { &other },
            email: &email,
            role: Role::Viewer,
            invited_by: "N",
            expires_at: 70_000_000_000,
        };
        let invited = database.invite(&new, 60_000_000_000).await.unwrap();
        assert!(matches!(invited, Invited::Asked(..)), "{invited:?}");
    }
    let members = async |search| {
        let found = all(
            search,
            |each: &docwright_storage::database::Member| Position::of_id(&each.account.email),
            async |page| database.members(&own, None, page).await.unwrap(),
        );
        found.await.into_iter().map(|each| each.account.email).collect::<Vec<_>>()
    };
    assert_eq!(members(None).await, ["a-c@x.example", "ab@x.example", "b@x.example"]);
    assert_eq!(members(Some("A-")).await, ["a-c@x.example"]);
    assert_eq!(members(Some("B@X")).await, ["ab@x.example", "b@x.example"]);
    assert_eq!(members(Some("Mx. n")).await.len(), 3, "names are found, too");
    assert_eq!(members(Some("_@")).await, [""; 0]);
    assert_eq!(members(Some("c@")).await, ["a-c@x.example"], "none of other organizations");
    let invited = async |search| {
        let found = all(
            search,
            |each: &docwright_storage::database::Invitation| {
                PageRequest { search, ..PageRequest::first(1) }
                    .position(Some(&each.email), &each.id)
            },
            async |page| database.invitations(&other, 60_000_000_001, page).await.unwrap(),
        );
        found.await.into_iter().map(|each| each.email).collect::<Vec<_>>()
    };
    assert_eq!(invited(None).await, ["ab@x.example", "a-c@x.example", "b@x.example"]);
    assert_eq!(invited(Some("B@x")).await, ["b@x.example", "ab@x.example"]);
    assert_eq!(invited(Some("a_c")).await, [""; 0]);
}

async fn domains(place: &TestDatabase) {
    let database = &place.database;
    let own = organization(place, "names of domains").await;
    let project = project(place, &own, "names").await;
    for name in ["b.names.example", "ab.names.example", "a-c.names.example/docs"] {
        let name = DomainAddress::parse(name).unwrap();
        database.add_domain(&name, &project, None, 1).await.unwrap();
    }
    let claim = DomainAddress::parse("aa.names.example").unwrap();
    database.claim_domain(&claim, &project, None, 1).await.unwrap();
    for whose in [(Some(own.as_str()), None), (None, Some(project.as_str()))] {
        let names = async |search| {
            let found = all(
                search,
                |each: &docwright_storage::database::Domain| Position::of_id(&each.name),
                async |page| database.domains_page(whose, page).await.unwrap(),
            );
            found.await.into_iter().map(|each| each.name).collect::<Vec<_>>()
        };
        let sorted = ["a-c.names.example/docs", "ab.names.example", "b.names.example"];
        assert_eq!(names(None).await, sorted);
        assert_eq!(names(Some("B.N")).await, sorted[1..]);
        assert_eq!(names(Some("example/D")).await, sorted[..1]);
        assert_eq!(names(Some("a_c")).await, [""; 0]);
        for (search, count) in [("A.NAM", 1), ("ab", 0), ("%", 0)] {
            let page = PageRequest { search: Some(search), ..PageRequest::first(9) };
            assert_eq!(database.pending_domains(whose, page).await.unwrap().len(), count);
        }
    }
}

/// Releases by number, and by parts of the message and the author's name.
async fn releases_by_text(place: &TestDatabase, project: &str) {
    let database = &place.database;
    let releases = async |status, search| {
        let found = all(
            search,
            |each: &docwright_types::release::Release| Position::of_id(&each.id),
            async |page| database.releases(project, status, page).await.unwrap(),
        );
        let last = |id: &str| id.rsplit('_').next().unwrap().to_owned();
        found.await.iter().map(|each| last(&each.id)).collect::<String>()
    };
    place
        .execute(&format!(
            "UPDATE releases SET number = CASE WHEN status = 'ready' THEN 12 ELSE 123 END, \
             commit_message = 'Fix 100% of the Handbook', commit_author = 'Ada ' || status WHERE project_id = '{project}'"
        ))
        .await;
    assert_eq!(releases(None, Some("12")).await, "41");
    assert_eq!(releases(None, Some("#123")).await, "32");
    assert_eq!(releases(None, Some("BOOK")).await, "4321");
    assert_eq!(releases(None, Some("100%")).await, "4321");
    assert_eq!(releases(None, Some("a_a")).await, "");
    assert_eq!(releases(None, Some("da fail")).await, "32");
    assert_eq!(releases(Some(ReleaseStatus::Ready), Some("book")).await, "41");
}

/// Long lists of a project: newest first, filtered by state. A search merges the states.
async fn work(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("searched").await;
    let project = site.project_id.as_str();
    let other = place.site("searched-elsewhere").await.0;
    make_work(place, [&site, &other], domain.as_str()).await;
    // The ids end with these numbers.
    let number = |id: &str| id.rsplit('_').next().unwrap().to_owned();
    let position = |search, text: &str, id: &str| {
        PageRequest { search, ..PageRequest::first(1) }.position(Some(text), id)
    };
    let releases = async |status, search| {
        let found = all(
            search,
            |each: &docwright_types::release::Release| {
                release_position(each, PageRequest { search, ..PageRequest::first(1) })
            },
            async |page| database.releases(project, status, page).await.unwrap(),
        );
        found.await.iter().map(|each| number(&each.id)).collect::<String>()
    };
    assert_eq!(releases(None, None).await, "4321");
    assert_eq!(releases(Some(ReleaseStatus::Failed), None).await, "32");
    assert_eq!(releases(None, Some("AB")).await, "321");
    assert_eq!(releases(None, Some("abc1")).await, "31");
    assert_eq!(releases(Some(ReleaseStatus::Ready), Some("a")).await, "1");
    releases_by_text(place, project).await;
    let exports = async |status, search| {
        let found = all(
            search,
            |each: &docwright_types::export_job::ExportJob| {
                position(search, &each.domain, &each.id)
            },
            async |page| database.export_jobs(project, status, page).await.unwrap(),
        );
        found.await.iter().map(|each| number(&each.id)).collect::<String>()
    };
    assert_eq!(exports(Some(ExportStatus::Failed), None).await, "32");
    assert_eq!(exports(None, Some("abc")).await, "31");
    assert_eq!(exports(Some(ExportStatus::Completed), Some("a")).await, "1");
    let previews = async |state, search| {
        let found = all(
            search,
            |each: &docwright_types::preview::Preview| position(search, &each.branch, &each.id),
            async |page| database.previews(project, state, page).await.unwrap(),
        );
        found.await.iter().map(|each| number(&each.id)).collect::<String>()
    };
    assert_eq!(previews(Some(PreviewState::Closed), None).await, "32");
    assert_eq!(previews(None, Some("BC1")).await, "31");
    assert_eq!(previews(Some(PreviewState::Open), Some("a")).await, "1");
    let jobs = all(
        None,
        |each: &docwright_types::agent_job::AgentJob| Position::of_id(&each.id),
        async |page| database.agent_jobs(project, Some(AgentStatus::Failed), page).await.unwrap(),
    );
    let jobs = jobs.await;
    assert_eq!(jobs.iter().map(|each| number(&each.id)).collect::<String>(), "32");
    texts_of_project(place, project).await;
    let feedback = async |state, search| {
        let found = all(
            search,
            |each: &docwright_storage::database::Feedback| position(search, &each.page, &each.id),
            async |page| database.feedback_of_project(project, state, page).await.unwrap(),
        );
        found.await.iter().map(|each| (each.created_at % 10).to_string()).collect::<String>()
    };
    assert_eq!(feedback(None, None).await, "4321");
    assert_eq!(feedback(None, Some("guides/AB")).await, "231");
    assert_eq!(feedback(Some(FeedbackState::Pending), Some("GUIDES/abc")).await, "31");
    assert_eq!(feedback(Some(FeedbackState::Resolved), Some("g")).await, "");
    // Removes the rows that this test inserted, since they would break later tests.
    for table in ["agent_jobs", "previews", "export_jobs", "releases"] {
        let of = format!("('{project}', '{}')", other.project_id);
        place.execute(&format!("DELETE FROM {table} WHERE project_id IN {of}")).await;
    }
}

/// Agent jobs by their first prompts, and pull requests by number, title, and branch.
async fn texts_of_project(place: &TestDatabase, project: &str) {
    let database = &place.database;
    for (number, prompt) in [(1, "Fix 100% of the Handbook"), (2, "fix a typo")] {
        let job = format!("job_{project}_{number}");
        for (position, prompt) in [(1, prompt), (2, "And the appendix")] {
            place.execute(&format!(
                "INSERT INTO agent_messages (job_id, number, project_id, prompt, created_at) VALUES ('{job}', {position}, '{project}', '{prompt}', 1)"
            ))
            .await;
        }
        place.execute(&format!(
            "INSERT INTO pull_requests (project_id, number, head, base, title, body, state, created_at, updated_at) \
             VALUES ('{project}', {number}, 'branch-{number}', 'main', '{prompt}', '', 'open', 1, 1)"
        ))
        .await;
    }
    for (search, expected) in
        [("FIX", "21"), ("0% of", "1"), ("typo", "2"), ("appendix", ""), ("x_a", ""), ("none", "")]
    {
        let jobs = database.agent_jobs_with_text(project, search, 9).await.unwrap();
        let jobs: String = jobs.iter().map(|job| job.id.rsplit('_').next().unwrap()).collect();
        assert_eq!(jobs, expected, "{search}");
        let pulls = database.pull_requests_with_text(project, search, 9).await.unwrap();
        assert_eq!(pulls.iter().map(|each| each.number.to_string()).collect::<String>(), expected);
    }
    for (search, expected) in [("#2", 1), ("2", 1), ("RANCH-", 2), ("#7", 0)] {
        let pulls = database.pull_requests_with_text(project, search, 9).await.unwrap();
        assert_eq!(pulls.len(), expected, "{search}");
    }
    assert_eq!(database.agent_jobs_with_text(project, "fix", 1).await.unwrap().len(), 1);
    for table in ["agent_messages", "pull_requests"] {
        place.execute(&format!("DELETE FROM {table} WHERE project_id = '{project}'")).await;
    }
}

/// Inserts four records of each kind for two sites, and feedback for the first site's domain.
async fn make_work(place: &TestDatabase, [own, other]: [&Site; 2], domain: &str) {
    let database = &place.database;
    let project = database.project(&own.project_id).await.unwrap().unwrap();
    let organization = project.organization_id;
    for (number, commit, status) in
        [(1, "abc1", "ready"), (2, "abd2", "failed"), (3, "abc1", "failed"), (4, "fff", "ready")]
    {
        for (site, project) in [(&own.id, &own.project_id), (&other.id, &other.project_id)] {
            let id = format!("rel_{project}_{number}");
            place.execute(&format!(
                "INSERT INTO releases (id, site_id, project_id, organization_id, trigger_name, servable, status, commit_sha, \
                 progress, page_count, warnings, warning_count, failures, interruptions, run_after, lease_number, created_at, \
                 updated_at) VALUES ('{id}', '{site}', '{project}', '{organization}', 'push', 1, '{status}', '{commit}', 0, 0, \
                 '[]', 0, 0, 0, 0, 0, 1, 1)"
            ))
            .await;
            place.execute(&format!(
                "INSERT INTO export_jobs (id, organization_id, project_id, domain, status, progress, page_count, warnings, \
                 warning_count, created_at, updated_at) VALUES ('exp_{project}_{number}', '{organization}', '{project}', \
                 '{commit}.example.com', '{}', 0, 0, '[]', 0, 1, 1)",
                if status == "ready" { "completed" } else { "failed" }
            ))
            .await;
            place.execute(&format!(
                "INSERT INTO sites (id, project_id, branch, domain, activates_from, created_at) \
                 VALUES ('site_{project}_{number}', '{project}', 'p{number}', '', 0, 1)"
            ))
            .await;
            place.execute(&format!(
                "INSERT INTO previews (id, project_id, site_id, branch, base, git_ref, is_fork, host, state, created_at, \
                 changed_at) VALUES ('prv_{project}_{number}', '{project}', 'site_{project}_{number}', '{commit}', '', '', 0, \
                 'h{project}{number}', '{}', 1, 1)",
                if status == "ready" { "open" } else { "closed" }
            ))
            .await;
            place.execute(&format!(
                "INSERT INTO agent_jobs (id, project_id, status, repository, model, usage, files_changed, failures, run_after, \
                 created_at, updated_at) VALUES ('job_{project}_{number}', '{project}', '{}', '/r', 'm', \
                 '{{\"inputTokens\":0,\"outputTokens\":0,\"cost\":null}}', '[]', 0, 0, 1, 1)",
                if status == "ready" { "completed" } else { "failed" }
            ))
            .await;
        }
        let page = format!("Guides/{commit}");
        let said = NewFeedback {
            domain,
            page: &page,
            helpful: true,
            comment: None,
            given_from: GivenFrom::Site,
        };
        assert!(database.add_feedback(said, 60_000_000_000 + number).await.unwrap());
    }
}
