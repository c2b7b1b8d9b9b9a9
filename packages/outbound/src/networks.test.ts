/** Canonical forms of networks, and membership of addresses. */
import t from 'tap'
import { canonicalNetwork, isInNetworks } from './networks.ts'

t.test('a network has one canonical form; other texts have none', async (t) => {
  const spellings: [string, string | null][] = [
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/48', '2001:db8::/48'],
    ['::1/128', '::1/128'],
    ['203.0.113.7/24', null],
    ['2001:db8::1/48', null],
    ['203.0.113.0', null],
    ['203.0.113.0/33', null],
    ['203.0.113.0/-1', null],
    ['203.0.113.0/24/8', null],
    ['203.0.113/24', null],
    ['0xcb.0.113.0/24', null],
    ['::ffff:203.0.113.0/120', null],
    ['fe80::%eth0/64', null],
    ['example.com/24', null],
    ['', null],
  ]
  for (const [text, expected] of spellings) t.equal(canonicalNetwork(text), expected, text)
})

t.test('every address of a network is inside, in any spelling', async (t) => {
  const networks = ['203.0.113.0/24', '2001:db8::/48']
  for (const address of [
    '203.0.113.0',
    '203.0.113.255',
    '::ffff:203.0.113.9',
    '2001:db8:0:ffff::1',
  ]) {
    t.equal(isInNetworks(address, networks), true, address)
  }
  for (const address of ['203.0.112.255', '203.0.114.0', '2001:db8:1::', '::1', 'unknown', '']) {
    t.equal(isInNetworks(address, networks), false, address)
  }
  t.equal(isInNetworks('203.0.113.1', []), false)
  t.equal(isInNetworks('203.0.113.1', ['::/0']), false, 'an IPv4 address is in no IPv6 network')
})
