/** Local times of a time zone, at clock changes too. */
import t from 'tap'
import { fromZonedText, toZonedText } from './zoned-time.ts'

const zone = 'Europe/Berlin'

t.test('a local time is that of the zone, not of the browser', async (t) => {
  t.equal(fromZonedText('2027-01-05T22:00', zone), '2027-01-05T21:00:00.000Z')
  t.equal(fromZonedText('2027-07-05T22:00', zone), '2027-07-05T20:00:00.000Z')
  t.equal(toZonedText('2027-07-05T20:00:00.000Z', zone), '2027-07-05T22:00')
  t.equal(toZonedText('2027-07-05T20:00:00.000Z', 'Asia/Tokyo'), '2027-07-06T05:00')
})

t.test('a skipped time is moved, and of two equal ones the first is meant', async (t) => {
  t.equal(fromZonedText('2027-03-28T02:30', zone), '2027-03-28T01:30:00.000Z')
  t.equal(fromZonedText('2027-10-31T02:30', zone), '2027-10-31T00:30:00.000Z')
})

t.test('an incomplete time is none', async (t) => {
  for (const text of ['', '2027-01-05', '2027-13-05T22:00', 'x']) {
    t.equal(fromZonedText(text, zone), null, text)
  }
})
