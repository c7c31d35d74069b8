//! Open files, streams and packet peers: the calls of the engine that move their bytes.
//!
//! gdext has no StreamPeer in the set of classes that this library is built with, and converts each argument.

use std::marker::PhantomData;
use std::sync::OnceLock;

use godot::global::Error as EngineError;
use godot::prelude::*;
use godot::sys::{self, GodotFfi};

use super::api::{Args, Bind, class_tag, method_bind};
use super::objects::{call_method, is_of, pointer};
use super::{Value, api, bytes_of};

/// A class whose objects move bytes, with those that extend it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StreamKind {
    File,
    Peer,
    Packets,
}

/// Adds a field for each method, which is found by the hash of its signature.
macro_rules! methods {
    ($($field:ident = $class:ident.$name:ident $hash:expr;)*) => {
        struct Methods {
            classes: [(StreamKind, *mut std::ffi::c_void); 3],
            $($field: Bind,)*
        }

        impl Methods {
            fn find() -> Self {
                Self {
                    classes: [
                        (StreamKind::File, class_tag("FileAccess")),
                        (StreamKind::Peer, class_tag("StreamPeer")),
                        (StreamKind::Packets, class_tag("PacketPeer")),
                    ],
                    $($field: method_bind(stringify!($class), stringify!($name), $hash),)*
                }
            }
        }
    };
}

/// Of methods that take nothing and return an int, a bool or an `Error`; that take bytes and return an `Error`.
const INT: i64 = 3_905_245_786;
const BOOL: i64 = 36_873_697;
const ERROR: i64 = 3_185_525_595;
const PUT: i64 = 680_677_267;

methods! {
    is_open = FileAccess.is_open BOOL;
    get_position = FileAccess.get_position INT;
    get_length = FileAccess.get_length INT;
    get_error = FileAccess.get_error ERROR;
    eof_reached = FileAccess.eof_reached BOOL;
    store_buffer = FileAccess.store_buffer 114_037_665;
    is_file_big_endian = FileAccess.is_big_endian BOOL;
    is_peer_big_endian = StreamPeer.is_big_endian_enabled BOOL;
    get_available_bytes = StreamPeer.get_available_bytes INT;
    get_data = StreamPeer.get_data 1_171_824_711;
    put_data = StreamPeer.put_data PUT;
    get_available_packet_count = PacketPeer.get_available_packet_count INT;
    get_encode_buffer_max_size = PacketPeer.get_encode_buffer_max_size INT;
    get_packet = PacketPeer.get_packet 2_115_431_945;
    get_packet_error = PacketPeer.get_packet_error ERROR;
    put_packet = PacketPeer.put_packet PUT;
}

// SAFETY: the pointers are to methods and classes of the engine, which are constant while the library is loaded.
unsafe impl Send for Methods {}
// SAFETY: as above.
unsafe impl Sync for Methods {}

fn methods() -> &'static Methods {
    static METHODS: OnceLock<Methods> = OnceLock::new();
    METHODS.get_or_init(Methods::find)
}

/// A FileAccess, StreamPeer or PacketPeer in a Variant. Methods may run scripts: of a peer, or that hear of errors.
pub struct Stream<'v> {
    object: sys::GDExtensionObjectPtr,
    pub kind: StreamKind,
    /// Counts as a reference, as the classes are RefCounted.
    holder: PhantomData<&'v Value>,
}

impl<'v> Stream<'v> {
    /// Returns the object in a Variant, or `None` if it is of another class, or there is none.
    pub fn of(holder: &'v Value) -> Option<Self> {
        let object = pointer(holder)?;
        // SAFETY: the object is alive.
        let (kind, _) = methods().classes.into_iter().find(|(_, tag)| unsafe { is_of(object, *tag) })?;
        Some(Self { object, kind, holder: PhantomData })
    }

    fn call<T: GodotFfi + Default>(&self, method: Bind, args: Args<'_>) -> T {
        // SAFETY: the object is alive, as its holder is. Each caller passes a method of the object's kind, which was
        // found by the hash of its signature, with what that says.
        unsafe { call_method(method, self.object, args) }
    }

    /// False for a file that was closed.
    pub fn is_open(&self) -> bool {
        self.kind != StreamKind::File || self.call(methods().is_open, &[])
    }

    pub fn is_big_endian(&self) -> bool {
        match self.kind {
            StreamKind::File => self.call(methods().is_file_big_endian, &[]),
            StreamKind::Peer => self.call(methods().is_peer_big_endian, &[]),
            StreamKind::Packets => false,
        }
    }

    /// Bytes that are left in the file, or that have come; or packets.
    pub fn left(&self) -> u64 {
        let count: i64 = match self.kind {
            StreamKind::File => {
                self.call::<i64>(methods().get_length, &[]).saturating_sub(self.call(methods().get_position, &[]))
            }
            StreamKind::Peer => self.call(methods().get_available_bytes, &[]),
            StreamKind::Packets => self.call(methods().get_available_packet_count, &[]),
        };
        u64::try_from(count).unwrap_or(0)
    }

    /// The most bytes that a packet may have; all others take any number.
    pub fn max_len(&self) -> usize {
        if self.kind != StreamKind::Packets {
            return usize::MAX;
        }
        self.call::<i64>(methods().get_encode_buffer_max_size, &[]).try_into().unwrap_or(0)
    }

    /// Whether a file has ended, or failed, in the last read. Compressed files do not tell of one missing byte.
    pub fn read_error(&self) -> Option<EngineError> {
        if self.kind != StreamKind::File {
            return None;
        }
        let has_ended: bool = self.call(methods().eof_reached, &[]);
        if has_ended { Some(EngineError::ERR_FILE_EOF) } else { checked(self.call(methods().get_error, &[])).err() }
    }

    /// Appends `len` bytes to `out`, or fewer if the file ends; waits for those of a peer, whose error it returns.
    pub fn read(&self, len: usize, out: &mut Vec<u8>) -> Result<(), EngineError> {
        if self.kind == StreamKind::File {
            out.reserve(len);
            let room = out.spare_capacity_mut()[..len].as_mut_ptr().cast();
            // SAFETY: the FileAccess is alive. It writes up to `len` bytes, for which there is room; -1 if it fails.
            unsafe {
                let read = (api().interface.file_access_get_buffer)(self.object, room, len as u64);
                let read = usize::try_from(read).ok().filter(|read| *read <= len);
                out.set_len(out.len() + read.ok_or(EngineError::ERR_FILE_CANT_READ)?);
            }
            return Ok(());
        }
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let got: VarArray = self.call(methods().get_data, &[(&raw const len).cast()]);
        let (code, bytes): (_, Result<PackedByteArray, _>) = (got.at(0).try_to_relaxed(), got.at(1).try_to());
        out.extend_from_slice(bytes_of(&bytes.unwrap_or_default()));
        // A StreamPeerBuffer says so at its end.
        let has_ended =
            |code| if code == EngineError::ERR_INVALID_PARAMETER { EngineError::ERR_FILE_EOF } else { code };
        checked(code.unwrap_or_default()).map_err(has_ended)
    }

    pub fn packet(&self) -> Result<PackedByteArray, EngineError> {
        let bytes = self.call(methods().get_packet, &[]);
        checked(self.call(methods().get_packet_error, &[])).map(|()| bytes)
    }

    pub fn write(&self, bytes: &PackedByteArray) -> Result<(), EngineError> {
        let args = [bytes.sys()];
        match self.kind {
            StreamKind::File if self.call::<bool>(methods().store_buffer, &args) => Ok(()),
            StreamKind::File => checked(self.call(methods().get_error, &[])).and(Err(EngineError::ERR_FILE_CANT_WRITE)),
            StreamKind::Peer => checked(self.call(methods().put_data, &args)),
            StreamKind::Packets => checked(self.call(methods().put_packet, &args)),
        }
    }
}

fn checked(code: i64) -> Result<(), EngineError> {
    match i32::try_from(code).ok().and_then(EngineError::try_from_ord) {
        Some(EngineError::OK) => Ok(()),
        code => Err(code.unwrap_or(EngineError::FAILED)),
    }
}
