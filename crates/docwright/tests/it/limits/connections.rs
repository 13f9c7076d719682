//! More connections than the service allows.

use std::{
    net::{Ipv4Addr, SocketAddr},
    process::Command,
    time::{Duration, Instant},
};

use docwright_testing::wait::eventually;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    time::{sleep, timeout},
};

use super::{HOST, published};
use crate::server::{Process, Setup, docwright};

/// The data that attackers send before they stop.
const BEGINNINGS: [&str; 4] = [
    "",
    "GET / HTTP/1.1\r\nhost: docs.example.com\r\nx-",
    "POST /_docwright/feedback HTTP/1.1\r\nhost: docs.example.com\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n{",
    "GET /page-0 HTTP/1.1\r\nhost: docs.example.com\r\n\r\n",
];

/// The service of a published site with a limited number of file handles.
async fn serve(handles: usize) -> (Setup, Process) {
    let (setup, process) = published(&[]).await;
    drop(process);
    let inner = docwright(&["serve", "--listen", "127.0.0.1:0", "--data"]);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {handles}; exec \"$0\" \"$@\"")]);
    command.arg(inner.get_program()).args(inner.get_args()).arg(setup.data());
    command.env("RUST_LOG", "error").stderr(std::process::Stdio::null());
    (setup, Process::start(command))
}

/// Opens a connection from one of several addresses of this machine.
async fn connect(process: &Process, number: usize, addresses: usize) -> Option<TcpStream> {
    let last = u8::try_from(2 + number % addresses).unwrap();
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 0, last), 0))).unwrap();
    let address = process.address.trim_start_matches("http://").parse().unwrap();
    let mut stream = socket.connect(address).await.ok()?;
    // A refused connection can already be closed.
    let _gone = stream.write_all(BEGINNINGS[number % BEGINNINGS.len()].as_bytes()).await;
    Some(stream)
}

/// Reads a page on a new connection, with retries.
async fn read_page(process: &Process) {
    eventually("the reader is served", async || is_served(process).await).await;
}

async fn is_served(process: &Process) -> bool {
    let address = process.address.trim_start_matches("http://");
    let Ok(mut stream) = TcpStream::connect(address).await else { return false };
    let request = format!("GET /page-1 HTTP/1.1\r\nhost: {HOST}\r\nconnection: close\r\n\r\n");
    let mut page = String::new();
    let answered = stream.write_all(request.as_bytes()).await.is_ok()
        && stream.read_to_string(&mut page).await.is_ok();
    answered && page.starts_with("HTTP/1.1 200") && page.contains("Text of page-1.")
}

async fn attack(handles: usize, connections: usize, addresses: usize) {
    let (_setup, process) = serve(handles).await;
    let mut held = Vec::new();
    for number in 0..connections {
        held.extend(connect(&process, number, addresses).await);
        if number % (connections / 20) == 0 {
            read_page(&process).await;
        }
    }
    read_page(&process).await;
    println!("{}", memory(&process));
}

/// The memory usage of a process.
fn memory(process: &Process) -> String {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn reader_is_served_while_others_use_all_connections() {
    // The service allows 128 connections; attackers open four times as many.
    attack(256, 512, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_sent_request_ends_at_time_limit() {
    let (_setup, process) = published(&[]).await;
    let mut halves = Vec::new();
    for _ in 0..200 {
        let address = process.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(BEGINNINGS[1].as_bytes()).await.unwrap();
        halves.push(stream);
    }
    read_page(&process).await;
    for mut stream in halves {
        let mut rest = Vec::new();
        let ended = timeout(Duration::from_mins(1), stream.read_to_end(&mut rest)).await;
        let _reset_or_closed = ended.expect("the server closes the connection");
        assert!(rest.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures"]
async fn measure_ten_thousand_connections() {
    let (_setup, process) = serve(20_000).await;
    let read_page = async || {
        let started = Instant::now();
        read_page(&process).await;
        started.elapsed()
    };
    println!("before: {}, {:?} a page", memory(&process), read_page().await);
    let mut held = Vec::new();
    let started = Instant::now();
    for number in 0..10_000 {
        held.extend(connect(&process, number, 40).await);
    }
    println!("{} connections in {:?}: {}", held.len(), started.elapsed(), memory(&process));
    let mut times = Vec::new();
    for _ in 0..50 {
        times.push(read_page().await);
    }
    times.sort_unstable();
    println!("a page: {:?} half of the time, {:?} at most", times[25], times[49]);
    let started = Instant::now();
    let gone = async {
        for stream in &mut held {
            let mut rest = Vec::new();
            let _reset_or_closed = stream.read_to_end(&mut rest).await;
        }
    };
    timeout(Duration::from_secs(150), gone).await.expect("all connections are closed");
    println!("the last one ended after {:?}: {}", started.elapsed(), memory(&process));
    sleep(Duration::from_secs(1)).await;
    read_page().await;
}
