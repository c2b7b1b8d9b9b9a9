import t from 'tap'
import { isMetadataAddress, isPublicAddress, parseAddress, parseCidr } from './address-rules.ts'
import { outboundPolicy } from './policy.ts'

/** First and last address of each special range, and its public neighbours (null for none). */
const ranges: [
  name: string,
  first: string,
  last: string,
  before: string | null,
  after: string | null,
][] = [
  ['this network', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['private 10', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['carrier NAT', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.1'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private 172', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['TEST-NET-1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['6to4 relay', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private 192', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['benchmark', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['TEST-NET-2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['TEST-NET-3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast and reserved', '224.0.0.0', '255.255.255.255', '223.255.255.255', null],
  ['Azure wire server', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['below global unicast', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
  [
    'IETF protocols',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2000:ffff::',
    '2001:200::',
  ],
  [
    'documentation',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db7:ffff::',
    '2001:db9::',
  ],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  [
    'documentation 2',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3ffe:ffff::',
    '3fff:1000::',
  ],
  ['above global unicast', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
]

const isPublicText = (text: string): boolean => {
  const address = parseAddress(text)
  return address !== null && isPublicAddress(address)
}

t.test('each special range is blocked up to its bounds and not beyond', async (t) => {
  for (const [name, first, last, before, after] of ranges) {
    t.equal(isPublicText(first), false, `${name}: ${first}`)
    t.equal(isPublicText(last), false, `${name}: ${last}`)
    if (before !== null) t.equal(isPublicText(before), true, `before ${name}: ${before}`)
    if (after !== null) t.equal(isPublicText(after), true, `after ${name}: ${after}`)
  }
})

t.test('a form that embeds another address is always blocked', async (t) => {
  const forms = [
    '::1',
    '::',
    '::7f00:1',
    '::127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:0:8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9c::1',
    '64:ff9b:1::1',
    '2002:808:808::1',
    '2001:0:808:808::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '100::1',
    '5f00::1',
  ]
  for (const text of forms) t.equal(isPublicText(text), false, text)
  for (const text of ['2606:4700:4700::1111', '2a00:1450::1', '8.8.8.8', '1.1.1.1']) {
    t.equal(isPublicText(text), true, text)
  }
  for (const text of ['', 'example.com', '1.2.3', '0x7f.1', '1.2.3.4%1', '::1%lo', '010.1.1.1']) {
    t.equal(isPublicText(text), false, text)
  }
})

t.test('metadata addresses stay blocked inside an allowed range', async (t) => {
  const policy = outboundPolicy({
    allowCidrs: [
      '169.254.0.0/16',
      '100.64.0.0/10',
      'fc00::/7',
      '::/1',
      '168.63.129.0/24',
      '192.0.0.0/24',
    ],
    ownHosts: [],
  })
  const metadata = [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::a9fe:a9fe',
  ]
  for (const text of metadata) t.equal(policy.allowsAddress(text, 80), false, text)
  for (const text of ['100.64.0.1', 'fd12::1', '::1', '168.63.129.17', '64:ff9b::808:808']) {
    t.equal(policy.allowsAddress(text, 80), true, text)
  }
  t.equal(isMetadataAddress(parseAddress('8.8.8.8') as never), false)
})

t.test(
  'an allow list that cannot be read, or allows everything, is refused at start',
  async (t) => {
    for (const text of [
      '',
      '10.0.0.0',
      '10.0.0.0/',
      '10.0.0.0/33',
      '10.0.0/8',
      'host/8',
      '::/129',
      '10.0.0.0/8/8',
      '10.0.0.0/+8',
    ]) {
      t.throws(() => parseCidr(text), /is not a network in CIDR notation/, JSON.stringify(text))
    }
    for (const text of ['0.0.0.0/0', '::/0', '10.0.0.0/0']) {
      t.throws(() => outboundPolicy({ allowCidrs: [text], ownHosts: [] }), /every address/)
    }
  },
)

t.test('internal hosts stay blocked inside an allowed range', async (t) => {
  const policy = outboundPolicy({
    allowCidrs: ['127.0.0.0/8', '::1/128', '10.0.0.0/8'],
    ownHosts: [
      'postgres://user:secret@localhost:5433/db',
      'nats://10.0.0.5',
      '10.0.0.6',
      'db.example.com',
    ],
  })
  for (const address of ['127.0.0.1', '127.9.9.9', '::1']) {
    t.equal(policy.allowsAddress(address, 5433), false, address)
    t.equal(policy.allowsAddress(address, 8080), true, address)
  }
  t.equal(policy.allowsAddress('10.0.0.5', 4222), false)
  t.equal(policy.allowsAddress('10.0.0.5', 80), true)
  t.equal(policy.allowsAddress('10.0.0.6', 80), false)
  t.equal(policy.allowsName('db.example.com', 443), false)
  t.equal(policy.allowsName('www.example.com', 443), true)
  t.throws(
    () => outboundPolicy({ allowCidrs: [], ownHosts: ['a b'] }),
    /must be a name, host:port or a URL/,
  )
})

t.test('an internal address is blocked under every name', async (t) => {
  const policy = outboundPolicy({
    allowCidrs: ['10.0.0.0/8'],
    ownHosts: ['postgres:5432', 'gone:80'],
    ownLookup: async (name) => {
      if (name === 'gone') throw new Error('no such host')
      return ['10.0.0.7']
    },
  })
  t.equal(await policy.allowsAll(['10.0.0.7'], 5432), false)
  t.equal(await policy.allowsAll(['8.8.8.8', '10.0.0.7'], 5432), false)
  t.equal(await policy.allowsAll(['10.0.0.7'], 80), true)
  t.equal(await policy.allowsAll(['10.0.0.8'], 5432), true)
  t.equal(await policy.allowsAll(['10.0.0.8', '192.168.0.1'], 5432), false)
})
