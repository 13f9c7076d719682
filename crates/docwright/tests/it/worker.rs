//! Jobs survive a killed process.

use crate::server::Setup;

#[tokio::test(flavor = "multi_thread")]
async fn job_survives_end_of_its_process() {
    let setup = Setup::with_pages(800);
    let mut process = setup.serve();
    let api = setup.api(&process);
    let id = api.start_export().await;
    api.wait_for(&id, &["running"]).await;
    process.kill();
    let process = setup.serve();
    let api = setup.api(&process);
    assert_eq!(
        api.job(&id).await["status"],
        "running",
        "the job was running when the process was killed"
    );
    let job = api.wait_for(&id, &["completed", "failed"]).await;
    assert_eq!((job["status"].as_str(), job["pageCount"].as_i64()), (Some("completed"), Some(800)));
}
