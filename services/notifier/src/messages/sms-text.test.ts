/** Text messages: at most two segments, and a link that works. */
import fc from 'fast-check'
import t from 'tap'
import { smsText } from './sms-text.ts'

const LINK = 'https://status.example.com/status/acme/incidents/019a3c5e-7b1f-7c2a-9d4e-0000000000d1'
const MAX_GSM = 306
const MAX_UCS2 = 134

t.test('what fits stays as it is', async (t) => {
  t.equal(
    smsText('[Acme] Investigating: API errors', LINK),
    `[Acme] Investigating: API errors ${LINK}`,
  )
  t.equal(smsText('[Acme] Hello', ''), '[Acme] Hello')
})

t.test('typographic signs are typed, so that they do not halve the room', async (t) => {
  t.equal(smsText('“API” — it’s down…', ''), '"API" - it\'s down...')
})

t.test('signs of the second row take two places', async (t) => {
  const text = smsText('€'.repeat(200), '')
  t.equal(text, `${'€'.repeat(151)}...`)
})

t.test('no text is longer than two segments, and none loses its link', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const message = smsText(text, LINK)
      t.ok(message.endsWith(` ${LINK}`))
      t.ok(message.isWellFormed() || !text.isWellFormed())
      t.ok(message.length <= MAX_GSM)
      if (
        /[^\p{ASCII}]/u.test(message.replaceAll(/[£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà€]/g, ''))
      ) {
        t.ok(message.length <= MAX_UCS2, message)
      }
    }),
  )
})
