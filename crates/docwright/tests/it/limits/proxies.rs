//! Clients behind trusted proxies, and forged headers.

use reqwest::StatusCode;

use super::published;

const TRUST: (&str, &str) = ("DOCWRIGHT_TRUSTED_PROXIES", "127.0.0.0/8, 10.0.0.0/8");

#[tokio::test(flavor = "multi_thread")]
async fn allowlists_check_client_behind_trusted_proxies_only() {
    for trusted in [true, false] {
        let variables: &[_] = if trusted { &[TRUST] } else { &[] };
        let (setup, process) = published(variables).await;
        let mut api = setup.api(&process);
        api.key = setup.new_key(&["--allow", "203.0.113.0/24"]);
        let ask = async |headers: &[(&str, &str)]| {
            let url = format!("{}/v2/agent/{}/jobs", api.base, setup.project);
            let mut request = api.client.get(url).bearer_auth(&api.key);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            request.send().await.unwrap().status()
        };
        let good = if trusted { StatusCode::OK } else { StatusCode::FORBIDDEN };
        for headers in [
            [("x-forwarded-for", "203.0.113.7")],
            [("x-forwarded-for", "6.6.6.6, 203.0.113.7, 10.1.1.1")],
            [("forwarded", "for=6.6.6.6, for=\"203.0.113.7:4711\";proto=https")],
        ] {
            assert_eq!(ask(&headers).await, good, "{headers:?}, trusted: {trusted}");
        }
        for headers in [
            vec![],
            vec![("x-forwarded-for", "203.0.113.7, 6.6.6.6")],
            vec![("x-forwarded-for", "203.0.113.7, unknown")],
            vec![("x-forwarded-for", "203.0.113.7 "), ("forwarded", "for=6.6.6.6")],
            vec![("forwarded", "for=203.0.113.7, for=_hidden")],
            vec![("forwarded", "for=203.0.113.7;host=\", for=6.6.6.6")],
            vec![("forwarded", "for=203.0.113.7;host=\""), ("forwarded", "for=6.6.6.6")],
            vec![("forwarded", "for=\"203.0.113.7")],
            vec![("x-real-ip", "203.0.113.7")],
            vec![("x-forwarded-for", "203.0.113.0/24")],
            vec![("x-forwarded-for", ",,,;;;\"\"[[")],
        ] {
            assert_eq!(ask(&headers).await, StatusCode::FORBIDDEN, "{headers:?}, {trusted}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forwarded_host_of_trusted_proxy_is_used_if_its_own_is_not_served() {
    for trusted in [true, false] {
        let variables: &[_] = if trusted { &[TRUST] } else { &[] };
        let (_setup, process) = published(variables).await;
        let feedback = async |host: &str, forwarded: (&str, &str), origin: &str| {
            let url = format!("{}/_docwright/feedback", process.address);
            let request = reqwest::Client::new().post(url).header("host", host);
            let request = request.header(forwarded.0, forwarded.1).header("origin", origin);
            let answer = serde_json::json!({ "page": "page-0", "helpful": true });
            request.json(&answer).send().await.unwrap().status().as_u16()
        };
        let (docs, own) = ("docs.example.com", "https://docs.example.com");
        let forwarded = ("x-forwarded-host", docs);
        // The proxy uses its own name for this server.
        let taken = if trusted { 204 } else { 421 };
        assert_eq!(feedback("backend", forwarded, own).await, taken, "{trusted}");
        let rfc = ("forwarded", "for=192.0.2.1;host=docs.example.com;proto=https");
        assert_eq!(feedback("backend", rfc, own).await, taken, "{trusted}");
        let refused = if trusted { 403 } else { 421 };
        assert_eq!(feedback("backend", forwarded, "https://backend").await, refused, "{trusted}");
        assert_eq!(feedback("backend", forwarded, "https://evil.example").await, refused);
        // A host with a site isn't replaced by a forwarded host.
        let forged = ("x-forwarded-host", "evil.example");
        assert_eq!(feedback(docs, forged, own).await, 204, "{trusted}");
        assert_eq!(feedback(docs, forged, "https://evil.example").await, 403, "{trusted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_have_the_scheme_of_the_client() {
    for (variables, scheme) in [(&[TRUST][..], "https://"), (&[][..], "http://")] {
        let (setup, process) = published(variables).await;
        let api = setup.api(&process);
        let export = api.start_export().await;
        api.wait_for(&export, &["completed"]).await;
        let url = format!("{}/v1/static-export/jobs/{export}/bundle", api.base);
        let request = api.client.post(url).bearer_auth(&api.key);
        let request =
            request.header("x-forwarded-for", "192.0.2.1").header("x-forwarded-proto", "https");
        let bundle: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
        let link = bundle["bundleUrl"].as_str().unwrap();
        assert!(link.starts_with(scheme), "{link}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trusting_everyone_is_refused() {
    let mut command = crate::server::docwright(&["serve", "--trusted-proxies", "0.0.0.0/0"]);
    let output = command.stderr(std::process::Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("trusts every client"), "{said}");
}
