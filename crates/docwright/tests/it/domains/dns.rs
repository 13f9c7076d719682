//! A small name server with records set by the test. All hosts have an address of this machine.

use std::{
    collections::HashMap,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, UdpSocket},
};

const A: u16 = 1;
const TXT: u16 = 16;
/// The longest UDP response in bytes.
const LONGEST: usize = 512;

#[derive(Default)]
struct Zone {
    texts: HashMap<String, Vec<String>>,
    /// Names whose lookups fail.
    failing: Vec<String>,
    /// Names with TXT lookups.
    asked: Vec<String>,
    /// Addresses of names that have others than this machine, or none.
    addresses: HashMap<String, Option<Ipv4Addr>>,
}

/// A running name server.
#[derive(Clone)]
pub(crate) struct NameServer {
    pub(crate) address: SocketAddr,
    zone: Arc<Mutex<Zone>>,
}

impl NameServer {
    pub(crate) async fn start() -> Self {
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind("127.0.0.1:0").await.unwrap();
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().unwrap()).await {
                break (udp, tcp);
            }
        };
        let server = Self { address: udp.local_addr().unwrap(), zone: Arc::default() };
        tokio::spawn(server.clone().serve_udp(udp));
        tokio::spawn(server.clone().serve_tcp(tcp));
        server
    }

    pub(crate) fn set(&self, name: &str, texts: &[&str]) {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        self.zone.lock().unwrap().texts.insert(name.to_owned(), texts);
    }

    /// Sets the address of a name.
    pub(crate) fn lead(&self, name: &str, address: Option<[u8; 4]>) {
        let address = address.map(Ipv4Addr::from);
        self.zone.lock().unwrap().addresses.insert(name.to_owned(), address);
    }

    pub(crate) fn fail(&self, name: &str) {
        self.zone.lock().unwrap().failing.push(name.to_owned());
    }

    /// The number of TXT lookups of a name.
    pub(crate) fn asked(&self, name: &str) -> usize {
        self.zone.lock().unwrap().asked.iter().filter(|asked| *asked == name).count()
    }

    async fn serve_udp(self, socket: UdpSocket) {
        let mut buffer = [0; 1500];
        while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
            let mut answer = self.answer(&buffer[..length]);
            if answer.len() > LONGEST {
                // Makes the client retry over TCP.
                let end = 12 + buffer[12..length].iter().position(|byte| *byte == 0).unwrap() + 5;
                answer.truncate(end);
                answer[2] |= 0x02;
                answer[6..12].fill(0);
            }
            let _gone = socket.send_to(&answer, client).await;
        }
    }

    async fn serve_tcp(self, listener: TcpListener) {
        while let Ok((mut stream, _)) = listener.accept().await {
            let server = self.clone();
            tokio::spawn(async move {
                while let Ok(length) = stream.read_u16().await {
                    let mut question = vec![0; length.into()];
                    stream.read_exact(&mut question).await.unwrap();
                    let answer = server.answer(&question);
                    stream.write_u16(u16::try_from(answer.len()).unwrap()).await.unwrap();
                    stream.write_all(&answer).await.unwrap();
                }
            });
        }
    }

    fn answer(&self, question: &[u8]) -> Vec<u8> {
        let (mut name, mut place) = (String::new(), 12);
        while question[place] != 0 {
            let length = usize::from(question[place]);
            let label = String::from_utf8_lossy(&question[place + 1..=place + length]);
            name = if name.is_empty() { label.into() } else { format!("{name}.{label}") };
            place += 1 + length;
        }
        let name = name.to_ascii_lowercase();
        let kind = u16::from_be_bytes([question[place + 1], question[place + 2]]);
        let mut zone = self.zone.lock().unwrap();
        if kind == TXT {
            zone.asked.push(name.clone());
        }
        let mut data = Vec::new();
        for text in zone.texts.get(&name).filter(|_| kind == TXT).into_iter().flatten() {
            let parts = text.as_bytes().chunks(255);
            data.push(
                parts
                    .flat_map(|part| [&[u8::try_from(part.len()).unwrap()], part].concat())
                    .collect(),
            );
        }
        if kind == A && !name.starts_with("_docwright.") {
            let address = zone.addresses.get(&name).copied();
            let address = address.unwrap_or(Some(Ipv4Addr::LOCALHOST));
            data.extend(address.map(|address| address.octets().to_vec()));
        }
        let is_failing = zone.failing.contains(&name);
        if is_failing {
            data.clear();
        }
        let code = match data.len() {
            _ if is_failing => 2,
            0 if kind == TXT => 3,
            _ => 0,
        };
        let mut answer = question[..2].to_vec();
        answer.extend([0x81, 0x80 | code, 0, 1, 0, u8::try_from(data.len()).unwrap(), 0, 0, 0, 0]);
        answer.extend(&question[12..place + 5]);
        for data in data {
            answer.extend([0xc0, 12]);
            answer.extend(kind.to_be_bytes());
            answer.extend([0, 1, 0, 0, 0, 0]);
            answer.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
            answer.extend(data);
        }
        answer
    }
}
