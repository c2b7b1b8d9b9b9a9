/** Devices of sessions. */
import t from 'tap'
import { deviceOf } from './device.ts'

t.test('browsers and systems have names, other programs remain as they are', async (t) => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
  t.equal(deviceOf(chrome), 'Chrome, Linux')
  t.equal(deviceOf(`${chrome} Edg/140.0`), 'Edge, Linux')
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1'
  t.equal(deviceOf(phone), 'Safari, iOS')
  t.equal(deviceOf('curl/8.9'), 'curl/8.9')
  t.equal(deviceOf(null), null)
})
