//! Network and hardware addresses as text (runtime spec §8.1). In: the bytes of an address, as they lie in memory. Out:
//! text. Fewer bytes than an address has read as zeros.

fn fixed<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let n = bytes.len().min(N);
    out[..n].copy_from_slice(&bytes[..n]);
    out
}

/// `inet_ntoa`
pub(super) fn ipv4(bytes: &[u8]) -> String {
    let [a, b, c, d] = fixed(bytes);
    format!("{a}.{b}.{c}.{d}")
}

/// `inet_ntoa6`; `strict` keeps the prefix of IPv4 within IPv6.
pub(super) fn ipv6(bytes: &[u8], strict: bool) -> String {
    let bytes: [u8; 16] = fixed(bytes);
    let group = |i: usize| u16::from_be_bytes([bytes[2 * i], bytes[2 * i + 1]]);
    let groups: [u16; 8] = std::array::from_fn(group);
    let last = u32::from_be_bytes(fixed(&bytes[12..]));
    let compatible = groups[..6] == [0; 6] && last > 1;
    let mapped = groups[..6] == [0, 0, 0, 0, 0, 0xffff];
    if compatible || mapped {
        let prefix = match (strict, mapped) {
            (false, _) => "",
            (true, true) => "::ffff:",
            (true, false) => "::",
        };
        return format!("{prefix}{}", ipv4(&bytes[12..]));
    }
    let hex = |groups: &[u16]| groups.iter().map(|g| format!("{g:x}")).collect::<Vec<_>>().join(":");
    match longest_zeros(&groups) {
        Some((at, n)) => format!("{}::{}", hex(&groups[..at]), hex(&groups[at + n..])),
        None => hex(&groups),
    }
}

/// The first of the longest runs of two or more zero groups.
fn longest_zeros(groups: &[u16; 8]) -> Option<(usize, usize)> {
    let mut best: Option<(usize, usize)> = None;
    for at in 0..8 {
        let n = groups[at..].iter().take_while(|&&g| g == 0).count();
        if n >= 2 && best.is_none_or(|(_, most)| n > most) {
            best = Some((at, n));
        }
    }
    best
}

/// `link_ntop`: two digits a byte.
pub(super) fn hardware(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(groups: [u16; 8], plain: &str, strict: &str) {
        let bytes: Vec<u8> = groups.iter().flat_map(|g| g.to_be_bytes()).collect();
        assert_eq!(ipv6(&bytes, false), plain);
        assert_eq!(ipv6(&bytes, true), strict);
    }

    #[test]
    fn ipv6_addresses() {
        check([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1], "2001:db8::1", "2001:db8::1");
        check([0x2001, 0, 0, 1, 0, 0, 0, 1], "2001:0:0:1::1", "2001:0:0:1::1");
        check([1, 0, 0, 2, 0, 0, 3, 4], "1::2:0:0:3:4", "1::2:0:0:3:4");
        check([1, 0, 2, 3, 4, 5, 6, 7], "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7");
        check([0; 8], "::", "::");
        check([0, 0, 0, 0, 0, 0, 0, 1], "::1", "::1");
        check([0, 0, 0, 0, 0, 0, 0, 2], "0.0.0.2", "::0.0.0.2");
        check([0, 0, 0, 0, 0, 0xffff, 0x102, 0x304], "1.2.3.4", "::ffff:1.2.3.4");
        check([0xfe80, 0, 0, 0, 0, 0, 0, 0], "fe80::", "fe80::");
    }

    #[test]
    fn other_addresses() {
        assert_eq!(ipv4(&[192, 168, 1, 1]), "192.168.1.1");
        assert_eq!(ipv4(&[]), "0.0.0.0");
        assert_eq!(hardware(&[0, 0x1b, 0xff]), "00:1b:ff");
    }
}
