/** Local times of a time zone, at clock changes too. */
import t from 'tap'
import { fromZonedText, instantOf, localTimeOf, toZonedText } from './zoned-time.ts'

const zone = 'Europe/Berlin'
const iso = (instant: number) => new Date(instant).toISOString()

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

t.test('a local time of a zone is an instant', async (t) => {
  const local = Date.parse('2026-07-01T09:30:00Z')
  t.equal(iso(instantOf(local, 'Europe/Berlin')), '2026-07-01T07:30:00.000Z')
  t.equal(iso(instantOf(local, 'Asia/Kolkata')), '2026-07-01T04:00:00.000Z')
  t.equal(localTimeOf(Date.parse('2026-07-01T07:30:00Z'), 'Europe/Berlin'), local)
  const midnight = Date.parse('2026-07-01T00:00:00Z')
  t.equal(localTimeOf(instantOf(midnight, 'America/New_York'), 'America/New_York'), midnight)
})
