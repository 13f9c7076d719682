//! Finds multipart uploads that never ended. `object_store` can't list them.

use std::time::Duration;

use docwright_types::timestamp::{Timestamp, iso};
use http::Method;
use object_store::{
    client::HttpRequestBody,
    multipart::MultipartStore,
    path::Path,
    signer::{SignedUrlOptions, Signer},
};
use serde::Deserialize;

use super::{ObjectError, s3::S3};

/// One page of the store's list. It has at most a thousand uploads; the rest is found another time.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    #[serde(default)]
    upload: Vec<UnfinishedUpload>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UnfinishedUpload {
    key: String,
    upload_id: String,
    /// ISO 8601, in UTC.
    initiated: String,
}

impl UnfinishedUpload {
    /// Times are compared to the second, as text: both are in the same form.
    fn is_before(&self, time: &str) -> bool {
        self.initiated.get(..19) < time.get(..19)
    }
}

impl S3 {
    pub(super) async fn remove_broken_uploads(
        &self,
        before: Timestamp,
    ) -> Result<usize, ObjectError> {
        let time = iso(before);
        let mut removed = 0;
        for started in self.uploads().await?.into_iter().filter(|started| started.is_before(&time))
        {
            let path = Path::from(started.key.as_str());
            match self.client.abort_multipart(&path, &started.upload_id).await {
                Ok(()) => removed += 1,
                // Another node removed it first.
                Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(ObjectError::of_store(&error, &started.key)),
            }
        }
        Ok(removed)
    }

    /// Uploads below the prefix that have started and not ended.
    async fn uploads(&self) -> Result<Vec<UnfinishedUpload>, ObjectError> {
        let unavailable = |error: &dyn std::error::Error| ObjectError::of_transport(error);
        let query = [("uploads", ""), ("prefix", self.prefix.as_str())];
        let options = SignedUrlOptions::new().with_query(query);
        let (root, good_for) = (Path::default(), Duration::from_mins(1));
        let address = self.client.signed_url_opts(Method::GET, &root, good_for, &options).await;
        let address = address.map_err(|error| ObjectError::of_store(&error, ""))?;
        let request = http::Request::get(address.as_str()).body(HttpRequestBody::empty());
        let request = request.map_err(|error| unavailable(&error))?;
        let answer = self.http.execute(request).await.map_err(|error| unavailable(&error))?;
        let status = answer.status();
        let text = answer.into_body().bytes().await.map_err(|error| unavailable(&error))?;
        if !status.is_success() {
            return Err(ObjectError::of_status(status.as_u16(), &String::from_utf8_lossy(&text)));
        }
        let listed: Listed =
            quick_xml::de::from_reader(text.as_ref()).map_err(|error| unavailable(&error))?;
        Ok(listed.upload)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_parsed() {
        let text = "<?xml version=\"1.0\"?><ListMultipartUploadsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
            <Bucket>b</Bucket><KeyMarker/><MaxUploads>1000</MaxUploads><IsTruncated>false</IsTruncated>\
            <Upload><Key>p/a</Key><UploadId>1</UploadId><Initiator><ID>x</ID></Initiator>\
            <Initiated>2026-11-10T20:48:33.000Z</Initiated></Upload>\
            <Upload><Key>p/b</Key><UploadId>2</UploadId><Initiated>2026-11-10T20:48:34Z</Initiated></Upload>\
            </ListMultipartUploadsResult>";
        let listed: Listed = quick_xml::de::from_str(text).unwrap();
        let before: Vec<_> = listed
            .upload
            .iter()
            .filter(|started| started.is_before("2026-11-10T20:48:34.5Z"))
            .map(|started| (started.key.as_str(), started.upload_id.as_str()))
            .collect();
        assert_eq!(before, [("p/a", "1")]);
        let none: Listed = quick_xml::de::from_str("<ListMultipartUploadsResult/>").unwrap();
        assert!(none.upload.is_empty());
    }
}
