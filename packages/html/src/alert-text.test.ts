/** Texts of alerts: every described event in every language. */
import { type AlertDetails, describedAlertEvents, locales } from '@status-page/contracts'
import t from 'tap'
import { alertReason, alertTitle } from './alert-text.ts'

const dueAt = '2026-01-02T03:04:00.000Z'
const time = (at: Date): string => `<${at.toISOString()}>`
const detailsOf = (change: Partial<AlertDetails>): AlertDetails => ({
  event: 'incident-draft',
  name: 'API $& {}',
  slaName: 'Gold',
  dueAt,
  percentage: 1.6042,
  targetPercentage: 99.9,
  message: 'Slow.',
  outcome: null,
  ...change,
})

t.test('a title contains the name and differs between languages', async (t) => {
  for (const event of describedAlertEvents) {
    const alert = { title: 'stored', details: detailsOf({ event }) }
    const titles = locales.map((locale) => alertTitle(alert, locale))
    for (const title of titles) t.ok(title.includes('API $& {}') && title !== 'stored', title)
    t.equal(new Set(titles).size, locales.length, event)
  }
})

t.test('a reason has no placeholder left, in every language', async (t) => {
  for (const event of describedAlertEvents.filter((one) => one !== 'monitor.down')) {
    const alert = { reason: 'stored', details: detailsOf({ event }) }
    const reasons = locales.map((locale) => alertReason(alert, { locale, time }) ?? '')
    for (const reason of reasons) t.notMatch(reason, /[{}]|stored/, reason)
    t.equal(new Set(reasons).size, locales.length, event)
  }
})

t.test('a reason states time, percentages and outcome', async (t) => {
  const reason = (change: Partial<AlertDetails>) =>
    alertReason({ reason: 'HTTP 503', details: detailsOf(change) }, { locale: 'de', time })
  t.equal(reason({ event: 'monitor.down' }), 'HTTP 503')
  t.equal(
    reason({ event: 'sla.breached' }),
    'Verfügbarkeit: 1,6042\u00a0% gemessen, Ziel 99,9\u00a0%',
  )
  t.equal(reason({ event: 'sla.at-risk', percentage: null }), 'Verfügbarkeit: Ziel 99,9\u00a0%')
  t.equal(reason({ event: 'sla.response-breached' }), `Gold: Fällig am <${dueAt}>`)
  t.match(reason({}), new RegExp(`<${dueAt}> automatisch veröffentlicht.* Slow\\.$`))
  t.match(reason({ dueAt: null }), /^Er wartet/)
  t.match(reason({ outcome: 'vetoed', message: null }), /abgelehnt\.$/)
})

t.test('title and reason of an incident stay as written', async (t) => {
  const alert = { title: 'Outage', reason: 'Slow.', details: null }
  t.equal(alertTitle(alert, 'ja'), 'Outage')
  t.equal(alertReason(alert, { locale: 'ja', time }), 'Slow.')
})
