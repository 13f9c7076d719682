//! One route that answers with the contents of a file, and nothing else: what `bench/reads.sh` compares
//! the API with. `bare_route ADDRESS FILE`.

use axum::{Router, body::Bytes, http::header, routing::get};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, file] = arguments.as_slice() else {
        return Err("usage: bare_route ADDRESS FILE".into());
    };
    let payload = Bytes::from(std::fs::read(file)?);
    let answer = ([(header::CONTENT_TYPE, "application/json")], payload);
    let router = Router::new().route("/{*path}", get(move || async move { answer }));
    axum::serve(tokio::net::TcpListener::bind(address).await?, router).await?;
    Ok(())
}
