//! Questions to the assistant: stored once, listed in pages, rated, and deleted.

use docwright_storage::database::{
    DeploymentChange, NewQuestion, PageRequest, Position, Question, QuestionCount, QuestionFilter,
    QuestionSource, Queue, Rating,
};
use docwright_testing::database::TestDatabase;
use docwright_types::{
    assistant::{AnswerKind, AskedFrom, RatingReason},
    timestamp::{DAY, HOUR},
};

const NOW: i64 = 20_000 * DAY;

pub(crate) async fn conform(place: &TestDatabase) {
    questions_are_listed_in_pages(place).await;
    questions_are_stored_once(place).await;
    rating_needs_thread_and_domain(place).await;
    questions_are_counted(place).await;
    unanswered_questions_are_read(place).await;
    thread_is_deleted_alone(place).await;
    questions_expire(place).await;
    shorter_time_is_for_stored_questions_too(place).await;
    questions_go_with_domain_and_project(place).await;
}

fn asked(domain: &str, id: &str, thread: &str, asked_at: i64) -> NewQuestion {
    NewQuestion {
        id: id.to_owned(),
        domain: domain.to_owned(),
        thread: thread.to_owned(),
        asked_at,
        expires_at: asked_at + 30 * DAY,
        question: format!("Why {id}?"),
        answer: "Because.".to_owned(),
        kind: AnswerKind::Answer,
        sources: vec![QuestionSource {
            page: "guides/start".to_owned(),
            anchor: "install".to_owned(),
            title: "Start".to_owned(),
            heading: "Install".to_owned(),
        }],
        asked_from: AskedFrom::Site,
        page: Some("index".to_owned()),
        language: Some("en".to_owned()),
        version: None,
    }
}

async fn questions_are_listed_in_pages(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions").await;
    let project = site.project_id.as_str();
    let new = |id: &str, thread: &str, at| asked(domain.as_str(), id, thread, at);
    // Two have the same time: their order is that of their ids.
    let mut all = vec![
        new("q-a", "t-one", NOW),
        new("q-b", "t-two", NOW + 1),
        new("q-c", "t-one", NOW + 1),
        new("q-d", "t-one", NOW + HOUR),
    ];
    all[1].kind = AnswerKind::Refused;
    assert_eq!(database.add_questions(&all).await.unwrap(), 4);
    let mut read = Vec::new();
    let mut after: Option<Position> = None;
    loop {
        let page = PageRequest { after: after.as_ref(), ..PageRequest::first(3) };
        let part = database.questions(project, QuestionFilter::ALL, page).await.unwrap();
        let Some(last) = part.last() else { break };
        let text = last.asked.asked_at.to_string();
        after = Some(Position { text, id: last.asked.id.clone() });
        read.extend(part);
    }
    all.reverse();
    let expected: Vec<_> =
        all.iter().map(|asked| Question { asked: asked.clone(), rating: None }).collect();
    assert_eq!(read, expected);
    let found = async |filter| {
        let page = PageRequest::first(9);
        let read = database.questions(project, filter, page).await.unwrap();
        read.into_iter().map(|question| question.asked.id).collect::<Vec<_>>()
    };
    let filter = QuestionFilter::ALL;
    assert_eq!(found(QuestionFilter { thread: Some("t-two"), ..filter }).await, ["q-b"]);
    let refused = QuestionFilter { kind: Some(AnswerKind::Refused), ..filter };
    assert_eq!(found(refused).await, ["q-b"]);
    let times = QuestionFilter { from: NOW + 1, to: NOW + HOUR, ..filter };
    assert_eq!(found(times).await, ["q-c", "q-b"]);
    let page = PageRequest::first(9);
    assert_eq!(database.questions("prj_other", filter, page).await.unwrap(), []);
}

async fn questions_are_stored_once(place: &TestDatabase) {
    let database = &place.database;
    let (_, domain) = place.site("questions-once").await;
    let new = asked(domain.as_str(), "once-a", "t", NOW);
    let gone = asked("gone.example.com", "once-b", "t", NOW);
    let both = [new.clone(), gone];
    assert_eq!(database.add_questions(&both).await.unwrap(), 1, "one domain is gone");
    assert_eq!(database.add_questions(&[new]).await.unwrap(), 0, "a batch can be repeated");
}

async fn rating_needs_thread_and_domain(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions-rated").await;
    let domain = domain.as_str();
    database.add_questions(&[asked(domain, "rated", "thread", NOW)]).await.unwrap();
    let bad = Rating {
        helpful: false,
        reason: Some(RatingReason::Outdated),
        comment: Some("It has another name now.".to_owned()),
    };
    let good = Rating { helpful: true, reason: None, comment: None };
    for other in [
        ("other.example.com", "thread", "rated"),
        (domain, "other", "rated"),
        (domain, "thread", "other"),
    ] {
        assert!(!database.rate_question(other, &good, NOW).await.unwrap(), "{other:?}");
    }
    let own = (domain, "thread", "rated");
    assert!(!database.rate_question(own, &good, NOW + 30 * DAY).await.unwrap(), "it expired");
    let read = async || {
        let page = PageRequest::first(2);
        let read = database.questions(&site.project_id, QuestionFilter::ALL, page).await.unwrap();
        read.into_iter().map(|question| question.rating).collect::<Vec<_>>()
    };
    assert_eq!(read().await, [None]);
    for rating in [bad, good] {
        assert!(database.rate_question(own, &rating, NOW).await.unwrap());
        assert_eq!(read().await, [Some(rating)]);
    }
}

async fn questions_are_counted(place: &TestDatabase) {
    use AnswerKind::{Answer, Refused};
    use AskedFrom::{Api, Site};
    let database = &place.database;
    let (site, domain) = place.site("questions-counted").await;
    let mut all: Vec<_> = (0..4)
        .map(|number| asked(domain.as_str(), &format!("counted-{number}"), "t", NOW + number))
        .collect();
    all[1].asked_from = AskedFrom::Api;
    all[2].kind = AnswerKind::Refused;
    database.add_questions(&all).await.unwrap();
    let count = |asked_from, kind, questions| QuestionCount { asked_from, kind, questions };
    let counts = database.count_questions(&site.project_id, (NOW, NOW + 3)).await.unwrap();
    assert_eq!(counts, [count(Api, Answer, 1), count(Site, Answer, 1), count(Site, Refused, 1)]);
    assert_eq!(database.count_questions(&site.project_id, (0, NOW)).await.unwrap(), []);
}

async fn unanswered_questions_are_read(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions-unanswered").await;
    let ids = ["unanswered-a", "unanswered-b", "unanswered-c", "unanswered-d"];
    let times = [NOW + 3, NOW + 1, NOW + 2, NOW];
    let mut all: Vec<_> =
        ids.iter().zip(times).map(|(id, at)| asked(domain.as_str(), id, "t", at)).collect();
    (all[0].kind, all[1].kind) = (AnswerKind::Refused, AnswerKind::Refused);
    database.add_questions(&all).await.unwrap();
    for (id, helpful) in [(ids[1], false), (ids[2], false), (ids[3], true)] {
        let rating = Rating { helpful, reason: None, comment: None };
        assert!(database.rate_question((domain.as_str(), "t", id), &rating, NOW).await.unwrap());
    }
    let read = async |times, limit| {
        let read = database.unanswered_questions(&site.project_id, times, limit).await.unwrap();
        read.into_iter().map(|question| question.id).collect::<Vec<_>>()
    };
    let always = (i64::MIN, i64::MAX);
    let whole = database.unanswered_questions(&site.project_id, always, 9).await.unwrap();
    let states: Vec<_> = whole.iter().map(|each| (each.refused, each.not_helpful)).collect();
    assert_eq!(states, [(true, true), (false, true), (true, false)]);
    let (first, asked) = (&whole[0], &all[1]);
    assert_eq!((&first.question, &first.sources), (&asked.question, &asked.sources));
    assert_eq!((&first.domain, first.asked_at), (&asked.domain, asked.asked_at));
    assert_eq!((&first.language, &first.version), (&asked.language, &asked.version));
    // A refusal that was rated is there once; the oldest question comes first.
    assert_eq!(read(always, 9).await, [ids[1], ids[2], ids[0]]);
    assert_eq!(read((NOW + 2, NOW + 3), 9).await, [ids[2]]);
    assert_eq!(read(always, 1).await, [ids[2], ids[0]], "the newest of each kind");
    let other = database.unanswered_questions("prj_other", always, 9).await.unwrap();
    assert_eq!(other, []);
}

async fn thread_is_deleted_alone(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions-deleted").await;
    let (other, elsewhere) = place.site("questions-stay").await;
    let mut all: Vec<_> = (0..1_100)
        .map(|number| asked(domain.as_str(), &format!("deleted-{number}"), "many", NOW))
        .collect();
    all.push(asked(domain.as_str(), "deleted-one", "one", NOW));
    all.push(asked(elsewhere.as_str(), "stays", "many", NOW));
    database.add_questions(&all).await.unwrap();
    let project = site.project_id.as_str();
    assert_eq!(database.delete_questions(project, Some("none")).await.unwrap(), 0);
    assert_eq!(database.delete_questions(project, Some("many")).await.unwrap(), 1_100);
    assert_eq!(database.delete_questions(project, None).await.unwrap(), 1);
    assert_eq!(database.delete_questions(&other.project_id, None).await.unwrap(), 1);
}

async fn questions_expire(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions-expire").await;
    let mut new = asked(domain.as_str(), "expires", "t", 0);
    new.expires_at = 10;
    let stays = NewQuestion { id: "expires-later".to_owned(), expires_at: 11, ..new.clone() };
    database.add_questions(&[new, stays]).await.unwrap();
    database.remove_old_questions(10).await.unwrap();
    let page = PageRequest::first(9);
    let left = database.questions(&site.project_id, QuestionFilter::ALL, page).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].asked.id, "expires-later");
}

async fn shorter_time_is_for_stored_questions_too(place: &TestDatabase) {
    let database = &place.database;
    let (site, domain) = place.site("questions-shorter").await;
    let project = site.project_id.as_str();
    database.add_questions(&[asked(domain.as_str(), "shorter", "t", NOW)]).await.unwrap();
    for (days, expected) in [(90, 30), (7, 7), (20, 7), (0, 0)] {
        let cloud = database.deployment(project, "cloud").await.unwrap().unwrap();
        let mut features = cloud.features.clone();
        features.assistant.keep_days = days;
        let change = DeploymentChange { features: Some(&features), ..DeploymentChange::default() };
        assert!(database.update_deployment(&cloud, change, NOW).await.unwrap());
        let page = PageRequest::first(2);
        let read = database.questions(project, QuestionFilter::ALL, page).await.unwrap();
        assert_eq!(read[0].asked.expires_at, NOW + expected * DAY, "{days}");
    }
    place.drain(Queue::Releases).await;
}

async fn questions_go_with_domain_and_project(place: &TestDatabase) {
    let database = &place.database;
    let left = async || {
        place.number("SELECT COUNT(*) FROM assistant_questions WHERE thread = 'going'").await
    };
    let (site, domain) = place.site("questions-go").await;
    database.add_questions(&[asked(domain.as_str(), "going", "going", NOW)]).await.unwrap();
    database.delete_domain(&domain).await.unwrap().unwrap();
    assert_eq!(left().await, 0);
    database.add_domain(&domain, &site.project_id, None, 1).await.unwrap();
    // A node keeps writing while the project is deleted.
    let (writer, domain) = (database.clone(), domain.to_string());
    let writes = tokio::spawn(async move {
        for number in 0..20 {
            let new = asked(&domain, &format!("going-{number}"), "going", NOW);
            writer.add_questions(&[new]).await.unwrap();
        }
    });
    assert!(database.delete_project(&site.project_id).await.unwrap().is_some());
    writes.await.unwrap();
    assert_eq!(left().await, 0);
}
