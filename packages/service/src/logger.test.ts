/** Log output: one line per event, without credentials. */
import t from 'tap'
import { createLogger } from './logger.ts'

const logged = (...entry: [object, string]): string => {
  let text = ''
  const destination = {
    write(line: string) {
      text += line
    },
  }
  createLogger({ service: 'core', destination }).info(...entry)
  return text
}

t.test('credentials are masked by name and by pattern', async (t) => {
  const text = logged(
    {
      authorization: 'canary-1',
      req: { headers: { cookie: 'canary-2', 'x-caller': 'canary-3' } },
      user: { password: 'canary-4', token: 'canary-5' },
      err: new Error('postgres://core:canary-6@host/db and https://a.b/?token=canary-7'),
    },
    'used sk_live_canary8canary8canary8canary8',
  )
  t.notMatch(text, /canary/)
  t.match(JSON.parse(text), { service: 'core', level: 30 })
  t.equal(text.split('\n').length, 2)
})
