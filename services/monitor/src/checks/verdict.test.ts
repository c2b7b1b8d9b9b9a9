/** Verdicts of several locations, flapping and certificates, as tables. */
import type { DerivedStatus } from '@status-page/contracts'
import t from 'tap'
import { combine, isFlapping, judgeCertificate, withChange } from './verdict.ts'

const letters: Record<string, DerivedStatus> = {
  u: 'operational',
  s: 'degraded_performance',
  d: 'major_outage',
}

t.test('as many locations as the quorum decide together', async (t) => {
  const table: [locations: string[], quorum: number | null, said: string, verdict: string][] = [
    [[], null, 'd', 'd'],
    [[], null, 'u', 'u'],
    [[], 3, 'd', 'd'],
    [['eu', 'us'], null, 'du', 'u'],
    [['eu', 'us'], null, 'dd', 'd'],
    [['eu', 'us'], 1, 'du', 'd'],
    [['eu', 'us', 'ap'], null, 'duu', 'u'],
    [['eu', 'us', 'ap'], null, 'ddu', 'd'],
    [['eu', 'us', 'ap'], null, 'dsu', 's'],
    [['eu', 'us', 'ap'], null, 'ssu', 's'],
    [['eu', 'us', 'ap'], 3, 'dds', 's'],
    [['eu', 'us', 'ap'], null, 'd', 'u'],
    [['eu', 'us', 'ap'], null, '', 'u'],
  ]
  for (const [locations, quorum, said, verdict] of table) {
    const states = [...said].map((letter) => letters[letter] ?? 'operational')
    t.equal(
      combine({ locations, quorum }, states),
      letters[verdict],
      `${locations} ${quorum} ${said}`,
    )
  }
})

const at = (minute: number) => new Date(Date.parse('2026-08-01T09:00:00.000Z') + minute * 60_000)

t.test('four changes in half an hour flap, until it was stable for a quarter', async (t) => {
  const changes = (...minutes: number[]) => minutes.map(at)
  t.equal(isFlapping(changes(0, 1, 2), at(2)), false, 'three')
  t.equal(isFlapping(changes(0, 10, 20, 30), at(30)), true, 'four')
  t.equal(isFlapping(changes(0, 10, 20, 31), at(31)), false, 'four in more time')
  t.equal(isFlapping(changes(0, 1, 2, 3), at(17)), true, 'not stable yet')
  t.equal(isFlapping(changes(0, 1, 2, 3), at(18)), false, 'stable')
  t.same(withChange(changes(0, 1, 2, 3), at(4)), changes(1, 2, 3, 4), 'only the last are kept')
})

t.test('the end of a certificate is warned of once at each mark', async (t) => {
  const never = { expiresAt: null, warnedDays: null }
  const day = (days: number) => at(days * 24 * 60)
  t.equal(judgeCertificate(never, null, at(0)), null, 'no certificate')
  const fresh = judgeCertificate(never, day(90), day(0))
  t.same(fresh, { certificate: { expiresAt: day(90), warnedDays: null }, daysLeft: null })
  let known = { expiresAt: day(90), warnedDays: null as number | null }
  const warnings: number[] = []
  for (let now = 0; now <= 92; now += 0.5) {
    const news = judgeCertificate(known, day(90), day(now))
    if (news === null) continue
    known = news.certificate as typeof known
    if (news.daysLeft !== null) warnings.push(news.daysLeft)
  }
  t.same(warnings, [29, 13, 6, 0])
  const renewed = judgeCertificate(known, day(180), day(91))
  t.same(renewed, { certificate: { expiresAt: day(180), warnedDays: null }, daysLeft: null })
  const late = judgeCertificate(never, day(5), day(0))
  t.equal(late?.daysLeft, 5, 'first seen late: one warning')
  t.equal(late?.certificate.warnedDays, 7)
})
