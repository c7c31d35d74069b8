//! Encrypted files, as `FileAccess.open_encrypted` writes and reads them.
//!
//! ```text
//! "GDEC"  MD5 of the stream  u64 length of the stream  initialization vector  the stream, encrypted
//! ```
//!
//! The hash, of the plain stream, and the vector have 16 bytes. The stream is padded with zeros to whole blocks of
//! 16 bytes, and encrypted with AES-256 in CFB mode. Source: `core/io/file_access_encrypted.cpp` of Godot 4.6.3.
//!
//! Files of Godot 3 are only read. They have a mode of encryption, always 1, and no vector; each block is encrypted by itself:
//!
//! ```text
//! "GDEC"  u32 mode  MD5 of the stream  u64 length of the stream  the stream, encrypted
//! ```
//!
//! MD5 and CFB go from one block to the next, so neither can be shared by threads. But one thread can hash a piece while
//! another encrypts it and writes the piece before, or decrypts the next ones.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use aes::Aes256;
use cfb_mode::cipher::{Array, BlockCipherDecrypt, BlockModeDecrypt, BlockModeEncrypt, KeyInit, KeyIvInit};
use cfb_mode::{Decryptor, Encryptor};
use md5::{Digest, Md5};

pub use crate::error::EncryptedError;
use crate::error::{LoadError, shortened};
use crate::open::Input;
use varbatch_codec::Kind;
use varbatch_codec::frames::{self, PREFIX_LEN};
use varbatch_workers::{Threads, lock};

/// The first four bytes of an encrypted file.
pub const MAGIC: [u8; 4] = *b"GDEC";

const BLOCK_LEN: usize = 16;

/// Bytes before the encrypted stream.
const HEAD_LEN: usize = MAGIC.len() + BLOCK_LEN + 8 + BLOCK_LEN;

/// Bytes before the encrypted stream in a file of Godot 3, and its mode of encryption.
const GODOT_3_HEAD_LEN: usize = MAGIC.len() + GODOT_3_MODE.len() + BLOCK_LEN + 8;
const GODOT_3_MODE: [u8; 4] = [1, 0, 0, 0];

/// Bytes that are hashed and encrypted at a time. Whole blocks.
const PIECE_LEN: usize = 1 << 20;

/// Bytes that were decrypted and are not hashed yet, above which the next ones wait.
const MAX_UNHASHED: usize = 8 << 20;

/// Bytes from which it is seen whether the values begin like one: a length and a type.
const FIRST_LEN: usize = 2 * PREFIX_LEN;

/// A key. Nothing ever shows it.
#[derive(Clone, Copy)]
pub struct Key([u8; Self::LEN]);

impl Key {
    /// Bytes of a key.
    pub const LEN: usize = 32;

    /// Returns the key with these bytes.
    pub const fn new(bytes: [u8; Self::LEN]) -> Self {
        Self(bytes)
    }

    /// Returns the key that `FileAccess.open_encrypted_with_pass` makes of a password: the digits of its MD5.
    pub fn of_password(password: &str) -> Self {
        let digits: String = Md5::digest(password).iter().map(|byte| format!("{byte:02x}")).collect();
        Self(digits.as_bytes().try_into().expect("two digits for each of 16 bytes"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Writes an encrypted file piece by piece.
pub struct Encrypter<W> {
    /// In which a part of the file is still missing.
    pub(crate) out: W,
    cipher: Encryptor<Aes256>,
    vector: [u8; BLOCK_LEN],
    hash: Md5,
    /// Bytes of the stream so far.
    len: u64,
    /// The last of these, which are not encrypted yet.
    gathered: Vec<u8>,
    /// The piece that was encrypted last, which is not written yet, and memory for the next one.
    encrypted: Vec<u8>,
    spare: Vec<u8>,
}

impl<W: Write + Seek + Send> Encrypter<W> {
    /// Begins a file at the start of `out`. Fails if the system has no random bytes.
    pub fn new(mut out: W, key: &Key) -> io::Result<Self> {
        let mut vector = [0; BLOCK_LEN];
        getrandom::fill(&mut vector).map_err(|error| io::Error::other(error.to_string()))?;
        // The head is written when all else is.
        out.write_all(&[0; HEAD_LEN])?;
        let cipher = Encryptor::new(&key.0.into(), &vector.into());
        let (gathered, encrypted, spare) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { out, cipher, vector, hash: Md5::default(), len: 0, gathered, encrypted, spare })
    }

    /// Takes the next bytes of the stream. After an error, the file cannot be finished.
    pub fn write(&mut self, mut bytes: &[u8], threads: &Threads) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE_LEN - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            bytes = later;
            if self.gathered.len() == PIECE_LEN {
                self.encrypt(threads)?;
            }
        }
        Ok(())
    }

    /// Writes the rest and the head. Returns the output.
    pub fn finish(mut self, threads: &Threads) -> io::Result<W> {
        self.encrypt(threads)?;
        let Self { mut out, hash, len, vector, encrypted, .. } = self;
        out.write_all(&encrypted)?;
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&[&MAGIC[..], &hash.finalize(), &len.to_le_bytes(), &vector].concat())?;
        Ok(out)
    }

    /// Encrypts what was gathered, and writes what was encrypted before.
    fn encrypt(&mut self, threads: &Threads) -> io::Result<()> {
        let Self { out, cipher, hash, gathered, encrypted, spare, .. } = self;
        let len = gathered.len();
        self.len += len as u64;
        gathered.resize(len.next_multiple_of(BLOCK_LEN), 0);
        spare.resize(gathered.len(), 0);
        let (plain, before, mut written) = (&*gathered, &*encrypted, Ok(()));
        let acts: [&mut (dyn FnMut() + Send); 3] = [
            &mut || hash.update(&plain[..len]),
            &mut || {
                let blocks = (Array::slice_as_chunks(plain).0, Array::slice_as_chunks_mut(spare).0);
                cipher.encrypt_blocks_b2b(blocks.0, blocks.1).expect("they have the same length");
            },
            &mut || written = out.write_all(before),
        ];
        threads.for_each(acts, |act| act());
        std::mem::swap(encrypted, spare);
        gathered.clear();
        written
    }
}

/// Reads an encrypted file piece by piece. What it returns may only be believed when all of it was read without an error.
pub(crate) struct Decrypter {
    input: Box<dyn Input>,
    cipher: Cipher,
    /// The hash in the file, until it was compared, and the error if it differed.
    expected: Option<[u8; BLOCK_LEN]>,
    failed: Option<EncryptedError>,
    /// The hash of what is read, with which other threads can go on meanwhile.
    pub hashing: Arc<Hashing>,
    /// Bytes of the stream, and those that were not read yet.
    pub len: u64,
    unread: u64,
    /// Bytes that are not returned before the others, to be set before anything is read; and the first ones of these.
    pub skipped: u64,
    first: Vec<u8>,
    /// True if there are two zeros or more behind the stream.
    is_padded: bool,
}

enum Cipher {
    Godot4(Decryptor<Aes256>),
    Godot3(Aes256),
}

impl Decrypter {
    /// Begins with a file of `file_len` bytes.
    pub fn new(mut input: Box<dyn Input>, file_len: u64, key: &Key) -> Result<Self, LoadError> {
        let mut head = Vec::with_capacity(HEAD_LEN);
        input.by_ref().take(HEAD_LEN as u64).read_to_end(&mut head)?;
        let cut = |expected| EncryptedError::Cut { expected, found: file_len };
        let rest = head.strip_prefix(&MAGIC).ok_or_else(|| match MAGIC.starts_with(&head) {
            true => cut(HEAD_LEN as u64),
            false => match head.get(MAGIC.len()..).and_then(hash_and_len) {
                Some((_, len)) if end_of(HEAD_LEN, len) == file_len => EncryptedError::Start,
                _ => EncryptedError::NotEncrypted,
            },
        })?;
        let (mut head_len, mut hashed) = (HEAD_LEN, hash_and_len(rest));
        // In Godot 4 the mode is a part of a hash, and what follows no length that fits.
        if let Some(rest) = rest.strip_prefix(&GODOT_3_MODE)
            && hashed.is_none_or(|(_, len)| end_of(HEAD_LEN, len) > file_len)
        {
            (head_len, hashed) = (GODOT_3_HEAD_LEN, hash_and_len(rest));
        }
        let (expected, len) = hashed.filter(|_| head.len() >= head_len).ok_or(cut(head_len as u64))?;
        let end = end_of(head_len, len);
        if end > file_len {
            return Err(cut(end).into());
        }
        let cipher = if head_len == HEAD_LEN {
            let vector = &head[HEAD_LEN - BLOCK_LEN..];
            Cipher::Godot4(Decryptor::new_from_slices(&key.0, vector).expect("both have their lengths"))
        } else {
            Cipher::Godot3(Aes256::new(&key.0.into()))
        };
        input.seek(SeekFrom::Start(head_len as u64))?;
        let (expected, failed, hashing, first) = (Some(expected), None, Arc::default(), Vec::new());
        Ok(Self { input, cipher, expected, failed, hashing, len, unread: len, skipped: 0, first, is_padded: false })
    }

    /// Appends about `max` bytes to `out`, even before an error: the file ends early or, at its end, has another hash.
    pub fn read(&mut self, out: &mut Vec<u8>, max: usize) -> Result<(), LoadError> {
        let start = out.len();
        loop {
            let before = out.len();
            let len = self.unread.min(max.max(1).next_multiple_of(BLOCK_LEN) as u64) as usize;
            let padded_len = len.next_multiple_of(BLOCK_LEN);
            out.reserve(padded_len);
            let read = self.input.by_ref().take(padded_len as u64).read_to_end(out);
            if !matches!(read, Ok(read) if read == padded_len) {
                out.truncate(start);
                return Err(read.map_or_else(LoadError::from, |_| shortened()));
            }
            let blocks = Array::slice_as_chunks_mut(&mut out[before..]).0;
            match &mut self.cipher {
                Cipher::Godot4(cipher) => cipher.decrypt_blocks(blocks),
                Cipher::Godot3(cipher) => cipher.decrypt_blocks(blocks),
            }
            // Zeros, as it was encrypted, if the key is right.
            self.is_padded = padded_len > len + 1 && out[before + len..].iter().all(|&byte| byte == 0);
            out.truncate(before + len);
            self.hashing.add(&out[before..]);
            self.unread -= len as u64;
            let skipped = self.skipped.min(len as u64);
            self.skipped -= skipped;
            out.drain(before..before + skipped as usize);
            let rest = FIRST_LEN - self.first.len();
            self.first.extend(out[before..].iter().take(rest));
            if self.unread == 0 {
                return self.check();
            }
            if out.len() > start {
                return Ok(());
            }
        }
    }

    /// Reads the rest, which nobody wants. Fails in the same cases as [`Self::read`], also if that has failed before.
    pub fn finish(&mut self) -> Result<(), LoadError> {
        let mut piece = Vec::new();
        while self.expected.is_some() {
            piece.clear();
            self.read(&mut piece, PIECE_LEN)?;
        }
        self.failed.clone().map_or(Ok(()), |failed| Err(failed.into()))
    }

    fn check(&mut self) -> Result<(), LoadError> {
        let hash = || std::mem::take(&mut self.hashing.wait(0).hash).finalize();
        if self.expected.take().is_none_or(|expected| hash()[..] == expected) {
            return Ok(());
        }
        // Of any eight bytes, one in many millions can be a length and a type.
        let is_length = matches!(frames::payload_len(&self.first, 0, self.len as usize), Ok(Some(4..)));
        let is_type = self.first.get(PREFIX_LEN + 1) == Some(&0) && Kind::from_id(self.first[PREFIX_LEN]).is_some();
        let is_key = self.is_padded || is_length && is_type;
        let failed = if is_key { EncryptedError::Damaged } else { EncryptedError::WrongKey };
        Err(self.failed.insert(failed).clone().into())
    }
}

/// Returns the hash and the length of the stream, which begin these bytes.
fn hash_and_len(head: &[u8]) -> Option<([u8; BLOCK_LEN], u64)> {
    let (hash, rest) = head.split_first_chunk()?;
    Some((*hash, u64::from_le_bytes(*rest.first_chunk()?)))
}

/// Returns where a stream of `len` bytes ends in its file.
fn end_of(head_len: usize, len: u64) -> u64 {
    (head_len as u64).saturating_add(len.checked_next_multiple_of(BLOCK_LEN as u64).unwrap_or(u64::MAX))
}

/// The hash of an encrypted file that is read: what was decrypted waits for a thread that [goes on](Self::go_on) with it.
#[derive(Debug, Default)]
pub struct Hashing {
    state: Mutex<HashState>,
    /// Told when a piece was hashed.
    is_hashed: Condvar,
}

#[derive(Debug, Default)]
struct HashState {
    hash: Md5,
    /// True while a thread has the hash.
    is_taken: bool,
    pieces: std::collections::VecDeque<Vec<u8>>,
    /// Bytes in these, and in the one that is being hashed.
    len: usize,
    /// Memory for other pieces.
    spare: Vec<Vec<u8>>,
}

impl Hashing {
    /// Hashes what was decrypted until now, unless another thread does.
    pub fn go_on(&self) {
        let mut state = lock(&self.state);
        if std::mem::replace(&mut state.is_taken, true) {
            return;
        }
        let mut hash = std::mem::take(&mut state.hash);
        while let Some(mut piece) = state.pieces.pop_front() {
            drop(state);
            hash.update(&piece);
            state = lock(&self.state);
            state.len -= piece.len();
            piece.clear();
            state.spare.push(piece);
            self.is_hashed.notify_all();
        }
        (state.hash, state.is_taken) = (hash, false);
        self.is_hashed.notify_all();
    }

    /// Waits until at most `max` bytes are not hashed, and hashes them if no other thread does.
    fn wait(&self, max: usize) -> MutexGuard<'_, HashState> {
        let mut state = lock(&self.state);
        // The thread that has taken the hash has yet to put it back after its last piece.
        while state.len > max || (max == 0 && state.is_taken) {
            if state.is_taken {
                state = self.is_hashed.wait(state).unwrap_or_else(PoisonError::into_inner);
            } else {
                drop(state);
                self.go_on();
                state = lock(&self.state);
            }
        }
        state
    }

    fn add(&self, bytes: &[u8]) {
        let mut piece = self.wait(MAX_UNHASHED).spare.pop().unwrap_or_default();
        piece.extend_from_slice(bytes);
        let mut state = lock(&self.state);
        state.len += piece.len();
        state.pieces.push_back(piece);
    }
}
