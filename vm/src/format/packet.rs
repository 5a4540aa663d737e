//! A captured packet (`pcap`, runtime spec §9): its first bytes and what is known of it in; a piece of a capture file out,
//! what a decoder says of it, or a dump. Runs nothing and opens nothing itself.

use super::dump;

/// The first word of a capture file whose times are in microseconds.
const MAGIC: u32 = 0xa1b2_c3d4;

/// The version of the format, 2.4.
const VERSION: [u16; 2] = [2, 4];

/// Before each line of a decoder.
const DECODED: &[u8] = b"pcap \t";

/// Kinds of packets that programs name by another number than capture files do: `PCAP_IP` is raw IP, which is 101 there.
const LINK_TYPES: [(i64, u32); 1] = [(12, 101)];

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Those that were captured.
    bytes: &'a [u8],
    /// How many it had.
    length: u32,
    /// Nanoseconds since 1970 UTC.
    time: i64,
    /// `PCAP_…`
    kind: i64,
}

impl<'a> Packet<'a> {
    /// A packet of `length` bytes, `elsewhere` of which do not follow the first ones in memory; `bytes` is what was read,
    /// which may be more than is the packet's.
    pub fn new(bytes: &'a [u8], length: i64, elsewhere: i64, time: i64, kind: i64) -> Packet<'a> {
        let length = length as u32;
        let here = length.saturating_sub(elsewhere as u32) as usize;
        Packet { bytes: &bytes[..here.min(bytes.len())], length, time, kind }
    }

    /// Appends the packet: a piece of a capture file if the output was sent to a file, behind the file's header if that is
    /// empty; else what a decoder says, a line behind `pcap`; else a dump.
    pub fn show(
        &self,
        out: &mut Vec<u8>,
        redirected: Option<bool>,
        decode: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    ) {
        if let Some(empty) = redirected {
            if empty {
                self.header(out);
            }
            return self.record(out);
        }
        let mut capture = Vec::new();
        self.header(&mut capture);
        self.record(&mut capture);
        match decode(&capture) {
            Some(text) => {
                for line in text.split_inclusive(|&byte| byte == b'\n') {
                    out.extend_from_slice(DECODED);
                    out.extend_from_slice(line);
                }
            }
            None => dump::dump(out, self.bytes),
        }
    }

    /// The header of a capture file of packets like this one.
    fn header(&self, out: &mut Vec<u8>) {
        let known = LINK_TYPES.iter().find(|(kind, _)| *kind == self.kind);
        let link = known.map_or(self.kind as u32, |&(_, link)| link);
        out.extend_from_slice(&MAGIC.to_ne_bytes());
        VERSION.iter().for_each(|half| out.extend_from_slice(&half.to_ne_bytes()));
        // Time zone and accuracy, which nobody fills in; the longest packet.
        [0, 0, 0xffff, link].iter().for_each(|word: &u32| out.extend_from_slice(&word.to_ne_bytes()));
    }

    /// The packet as it stands in a capture file.
    fn record(&self, out: &mut Vec<u8>) {
        let seconds = self.time.div_euclid(1_000_000_000) as u32;
        let micros = (self.time.rem_euclid(1_000_000_000) / 1000) as u32;
        let words = [seconds, micros, self.bytes.len() as u32, self.length];
        words.iter().for_each(|word| out.extend_from_slice(&word.to_ne_bytes()));
        out.extend_from_slice(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: [u32; 6] = [MAGIC, 2 | 4 << 16, 0, 0, 0xffff, 1];

    fn shown(packet: Packet<'_>, redirected: Option<bool>, decoded: Option<&str>) -> Vec<u8> {
        let mut out = Vec::new();
        packet.show(&mut out, redirected, &|_| decoded.map(|text| text.as_bytes().to_vec()));
        out
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_file_has_one_header() {
        let packet = Packet::new(b"abcdefgh", 6, 0, 5_000_007_999, 1);
        let record = [words(&[5, 7, 6, 6]), b"abcdef".to_vec()].concat();
        assert_eq!(shown(packet, Some(true), None), [words(&FILE), record.clone()].concat());
        assert_eq!(shown(packet, Some(false), Some("unused")), record);
    }

    #[test]
    fn no_more_than_was_read_and_is_there() {
        // A hundred bytes, sixty of them elsewhere, and eight of the others were read.
        let packet = Packet::new(b"abcdefgh", 100, 60, 0, 1);
        assert_eq!(shown(packet, Some(false), None), [words(&[0, 0, 8, 100]), b"abcdefgh".to_vec()].concat());
        // All of it is elsewhere, and numbers that cannot be.
        for (length, elsewhere) in [(5, 5), (5, 6), (0, 0), (-1, -1)] {
            let packet = Packet::new(b"abcdefgh", length, elsewhere, 0, 1);
            assert_eq!(packet.bytes, b"", "{length} {elsewhere}");
        }
    }

    #[test]
    fn the_link_type_is_the_file_format_s() {
        for (kind, link) in [(0, 0), (1, 1), (9, 9), (12, 101), (105, 105), (242, 242)] {
            let out = shown(Packet::new(b"", 0, 0, 0, kind), Some(true), None);
            assert_eq!(out[20..24], u32::to_le_bytes(link), "{kind}");
        }
    }

    #[test]
    fn a_decoder_s_lines_are_marked_and_without_one_bytes_are_dumped() {
        let packet = Packet::new(b"ab", 2, 0, 0, 1);
        assert_eq!(shown(packet, None, Some("1 IP\n2 UDP\n")), b"pcap \t1 IP\npcap \t2 UDP\n");
        let mut expected = Vec::new();
        dump::dump(&mut expected, b"ab");
        assert_eq!(shown(packet, None, None), expected);
    }
}
