/** Tables of verdicts of several locations and of certificates. */
import type { DerivedStatus } from '@status-page/contracts'
import t from 'tap'
import { type Certificate, combine, evaluateCertificate } from './verdict.ts'

const letters: Record<string, DerivedStatus> = {
  u: 'operational',
  s: 'degraded_performance',
  d: 'major_outage',
}

t.test('a quorum of locations decides the status', async (t) => {
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

const never: Certificate = { expiresAt: null, warned: null }
const day = (days: number) => at(days * 24 * 60)
const seen = (expiresAt: Date | null, now: Date) => ({
  certificateExpiresAt: expiresAt?.toISOString() ?? null,
  error: null,
  checkedAtMs: now.getTime(),
})

/** Days left at each warning when certificates are presented in turn, twice a day. */
const warningsOf = (turns: readonly number[], untilDay: number) => {
  let warned: Certificate['warned'] = null
  const warnings: [number, number][] = []
  for (let half = 0; half < untilDay * 2; half += 1) {
    const end = turns[half % turns.length] ?? 0
    if (end < half / 2) continue
    const known = { expiresAt: day(turns[(half + 1) % turns.length] ?? 0), warned }
    const change = evaluateCertificate(known, seen(day(end), day(half / 2)))
    warned = change?.certificate.warned ?? warned
    if (change?.daysLeft != null) warnings.push([end, change.daysLeft])
  }
  return warnings
}

t.test('an expiring certificate is announced once per threshold', async (t) => {
  t.equal(evaluateCertificate(never, seen(null, at(0))), null, 'no certificate')
  const fresh = evaluateCertificate(never, seen(day(90), day(0)))
  t.same(fresh, { certificate: { expiresAt: day(90), warned: null }, daysLeft: null })
  const alone = [
    [90, 29],
    [90, 13],
    [90, 6],
    [90, 0],
  ]
  t.same(warningsOf([90], 92), alone)
  const known = { expiresAt: day(90), warned: { expiresAt: day(90), days: 1 } }
  const renewed = evaluateCertificate(known, seen(day(180), day(89)))
  t.match(renewed, { certificate: { expiresAt: day(180) }, daysLeft: null })
  t.equal(evaluateCertificate(known, seen(day(180), day(151)))?.daysLeft, 29, 'warned about again')
  t.equal(
    evaluateCertificate(known, seen(day(90), day(91))),
    null,
    'its expiry is not announced again',
  )
  const late = evaluateCertificate(never, seen(day(5), day(0)))
  t.match(late, { daysLeft: 5, certificate: { warned: { days: 7 } } }, 'late: one warning')
})

t.test('alternating certificates cause no alternating warnings', async (t) => {
  t.same(warningsOf([40, 400], 40), [
    [40, 29],
    [40, 13],
    [40, 6],
  ])
  t.ok(warningsOf([40, 43], 40).length <= 8, 'at most once per threshold and certificate')
})

t.test(
  'a response without TLS has no certificate; a missing response changes nothing',
  async (t) => {
    const known = { expiresAt: day(90), warned: null }
    t.match(evaluateCertificate(known, seen(null, day(1))), { certificate: { expiresAt: null } })
    t.equal(evaluateCertificate(known, { ...seen(null, day(1)), error: 'timeout' }), null)
  },
)
