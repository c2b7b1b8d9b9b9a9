/** Formats of the contract as tables: input and stored form, null for rejected input. */
import t from 'tap'
import { textFormats } from './formats.ts'

const stored = (name: string, text: string): string | null => {
  const format = textFormats[name]
  if (format === undefined) throw new Error(`no format ${name}`)
  const value = format.canonical?.(text) ?? text
  return format.accepts(value) ? value : null
}

const UPLOAD = `/uploads/019a3c5e-7b1f-7c2a-9d4e-0000000000e2/${'0'.repeat(64)}.png`

const tables: Record<string, [string, string | null][]> = {
  uuid: [
    ['01890000-0000-7000-8000-00000000000A', '01890000-0000-7000-8000-00000000000a'],
    ['01890000000070008000000000000001', null],
    ['urn:uuid:01890000-0000-7000-8000-000000000001', null],
    ['', null],
  ],
  timestamp: [
    ['2026-08-01T09:30:00.000Z', '2026-08-01T09:30:00.000Z'],
    ['2026-08-01t09:30:00z', '2026-08-01T09:30:00.000Z'],
    ['2026-08-01T09:30:00+05:30', '2026-08-01T04:00:00.000Z'],
    ['2026-08-01T09:30:00.123456789-00:00', '2026-08-01T09:30:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2023-02-29T00:00:00Z', null],
    ['2024-02-30T00:00:00Z', null],
    ['2024-13-01T00:00:00Z', null],
    ['2024-00-01T00:00:00Z', null],
    ['2024-01-01T24:00:00Z', null],
    ['2024-01-01T00:60:00Z', null],
    ['2016-12-31T23:59:60Z', null],
    ['2024-01-01T00:00:00+24:00', null],
    ['2024-01-01T00:00:00+00:60', null],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59Z', null],
    ['1970-01-01T00:00:00+00:01', null],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-00:01', null],
    ['0001-01-01T00:00:00Z', null],
    ['2026-08-01T09:30:00', null],
    ['2026-08-01 09:30:00Z', null],
    ['2026-08-01', null],
    ['1785576600000', null],
  ],
  'one-line': [
    ['a b', 'a b'],
    [' a ', ' a '],
    ['a\u202eb\u200d', 'ab'],
    ['\u200b', ''],
    ['   ', null],
    ['\u3164', null],
    ['a\tb', null],
    ['a\u2028b', null],
    ['a\u0085b', null],
  ],
  'long-text': [
    ['a\n\tb', 'a\n\tb'],
    ['a\u202eb', 'a\u202eb'],
    ['a\rb', null],
    ['a\u001bb', null],
    ['', ''],
  ],
  'http-url': [
    ['http://Example.com', 'http://example.com/'],
    ['https://example.com:443/a?b#c', 'https://example.com/a?b#c'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://user@example.com/', null],
    ['http://user:pass@example.com/', null],
    ['http://@example.com/', null],
    ['http://example.com/@a', 'http://example.com/@a'],
    ['ftp://example.com/', null],
    ['javascript:alert(1)', null],
    ['http:example.com', null],
    ['//example.com', null],
    ['http://exa mple.com/', null],
    ['http://example.com/\n', null],
    [' http://example.com/', null],
    [`http://example.com/${'a'.repeat(2029)}`, `http://example.com/${'a'.repeat(2029)}`],
    [`http://example.com/${'a'.repeat(2030)}`, null],
    [`http://example.com/${'é'.repeat(400)}`, null],
  ],
  'check-url': [
    ['HTTPS://Example.com', 'https://example.com/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://user@example.com/', null],
    ['ftp://example.com/', null],
    ['example.com', null],
  ],
  'https-url': [
    ['https://example.com/', 'https://example.com/'],
    ['https://example.com#a@b', 'https://example.com/#a@b'],
    ['https://example.com?a@b', 'https://example.com/?a@b'],
    ['https://a@example.com#b', null],
    [`https://${'a'.repeat(63)}.com/`, `https://${'a'.repeat(63)}.com/`],
    [`https://${'a'.repeat(64)}.com/`, null],
    ['http://example.com/', null],
  ],
  'image-url': [
    ['https://example.com/a.png', 'https://example.com/a.png'],
    ['http://example.com/a.png', null],
    [`http://Localhost:3000${UPLOAD}`, `http://localhost:3000${UPLOAD}`],
    [`http://localhost${UPLOAD}?a=1`, null],
    [`http://localhost${UPLOAD.replace('.png', '.html')}`, null],
    [UPLOAD, null],
  ],
  'support-url': [
    ['mailto:Help@Example.com', 'mailto:help@example.com'],
    ['https://example.com/', 'https://example.com/'],
    ['mailto:a@b.io?cc=x@y.io', null],
    ['tel:+1', null],
  ],
  mailbox: [
    ['Ann.B+tag@Example.COM', 'ann.b+tag@example.com'],
    ['a@bücher.example', 'a@xn--bcher-kva.example'],
    ['a@x.com,b@x.com', null],
    ['a@x.com\r\nBcc: e@x.com', null],
    ['Ann <a@x.com>', null],
    ['"a b"@x.com', null],
    ['é@x.com', null],
    ['.a@x.com', null],
    ['a..b@x.com', null],
    ['a@localhost', null],
    ['a@[127.0.0.1]', null],
    ['a@127.0.0.1', null],
    ['a@-x.com', null],
    ['a@x.com/b', null],
    ['a@x.com\n', null],
    ['@x.com', null],
    ['a@', null],
    [' a@x.com', null],
    [`${'a'.repeat(65)}@x.com`, null],
  ],
  domain: [
    ['Example.COM', 'example.com'],
    ['a.b.example.com', 'a.b.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example.com.', null],
    ['localhost', null],
    ['*.example.com', null],
    ['@example.com', null],
    ['example.com/x', null],
    ['example.com:443', null],
    ['exa mple.com', null],
    ['example\n.com', null],
    [' example.com', null],
    ['-a.com', null],
    ['127.0.0.1', null],
    ['2130706433', null],
    [`${'a'.repeat(64)}.com`, null],
    ['', null],
  ],
  phone: [
    ['+14155550123', '+14155550123'],
    ['+4915112345678', '+4915112345678'],
    ['14155550123', null],
    ['+1 415 555 0123', null],
    ['+0123456789', null],
    ['+1415555', null],
    ['+1234567890123456', null],
  ],
  'time-zone': [
    ['Europe/Berlin', 'Europe/Berlin'],
    ['UTC', 'UTC'],
    ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['Mars/Phobos', null],
    ['+01:00', null],
    ['', null],
  ],
  password: [
    ['a'.repeat(72), 'a'.repeat(72)],
    ['é'.repeat(37), null],
  ],
}

for (const [name, rows] of Object.entries(tables)) {
  t.test(`${name} is stored in one form or rejected`, async (t) => {
    for (const [text, expected] of rows) t.equal(stored(name, text), expected, encodeURI(text))
  })
}

t.test('every format is tested here', async (t) => {
  t.same(Object.keys(textFormats).sort(), Object.keys(tables).sort())
})
