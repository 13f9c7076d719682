//! Which errors of a host show that the model doesn't work, and which are errors of a request.

use super::*;

#[tokio::test]
async fn outage_differs_from_error_of_request() {
    let json = "application/json";
    for (answer, outage) in [
        (http(401, json, "{}"), Some(Outage::Key)),
        (http(403, json, "{}"), Some(Outage::Key)),
        (http(402, json, "{}"), Some(Outage::Quota)),
        (http(429, json, "{}"), Some(Outage::Quota)),
        (http(404, json, "{}"), Some(Outage::Unknown)),
        (http(200, "text/html", HTML), Some(Outage::Unknown)),
        (http(503, json, ""), Some(Outage::Failing)),
        (http(400, json, "{}"), None),
        (http(413, json, "{}"), None),
    ] {
        assert_eq!(failure_of("openai-chat:x", Does::Answers(answer)).await.outage, outage);
    }
}
