//! A game server of a few lines: it reads what a Godot client sends with `StreamPeerTCP.put_var`, and answers with values
//! that the client reads with `get_var`. It serves one client, and ends when that closes.
//!
//!     cargo run --example put_var_server -- 127.0.0.1:7000
//!
//! `client.gd` beside this file is such a client. It asks for all that the server can do, and checks the answers.

use std::env;
use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};

use varbatch_codec::Value;
use varbatch_codec::frames::FrameReader;

/// The longest request that is taken, in bytes. The length stands in front of the value, so that anybody may claim 4 GiB.
const MAX_REQUEST_LEN: usize = 1 << 20;

fn main() -> io::Result<()> {
    let address = env::args().nth(1).unwrap_or_else(|| "127.0.0.1:7000".into());
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    let (stream, _) = listener.accept()?;
    serve(stream)
}

fn serve(mut stream: TcpStream) -> io::Result<()> {
    let mut requests = FrameReader::new(BufReader::new(stream.try_clone()?), MAX_REQUEST_LEN);
    let mut players = Vec::new();
    while let Some(request) = requests.read()? {
        let request = Value::decode(request).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        let answer = answer(&request, &mut players)
            .unwrap_or_else(|why| Value::dictionary([("ok", false.into()), ("error", why.into())]));
        stream.write_all(&answer.encode_frame().map_err(io::Error::other)?)?;
    }
    Ok(())
}

fn answer(request: &Value, players: &mut Vec<String>) -> Result<Value, String> {
    let argument = |name| request.get(name).ok_or_else(|| format!("expected \"{name}\" in the request"));
    let result = match argument("op")?.as_str() {
        Some("echo") => argument("value")?.clone(),
        Some("join") => {
            players.push(String::try_from(argument("name")?).map_err(|error| error.to_string())?);
            Value::from(players.clone())
        }
        Some("move") => match (argument("position")?, argument("by")?) {
            (Value::Vector3(position), Value::Vector3(by)) => {
                Value::Vector3(std::array::from_fn(|axis| position[axis] + by[axis]))
            }
            _ => return Err("expected two Vector3".into()),
        },
        _ => return Err("expected \"echo\", \"join\" or \"move\" as \"op\"".into()),
    };
    Ok(Value::dictionary([("ok", true.into()), ("result", result)]))
}
