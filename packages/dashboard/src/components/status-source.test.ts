/** Sources of statuses: a status that the checks confirm is not displayed as set manually. */
import t from 'tap'
import { confirmedSourceOf, recordedSourceOf } from './status-source.ts'
import type { ComponentData } from './tree.ts'

const checkedAt = '2026-01-01T00:00:00.000Z'
const component = (
  status: ComponentData['status'],
  statusSource: ComponentData['statusSource'],
  monitor?: { derivedStatus: string; lastCheckAt: string | null },
) => ({ status, statusSource, monitors: monitor === undefined ? [] : [monitor] }) as ComponentData

t.test('the source of a checked component is its checks, unless they differ', async (t) => {
  const passed = { derivedStatus: 'operational', lastCheckAt: checkedAt }
  const unchecked = { derivedStatus: 'operational', lastCheckAt: null }
  const cases = [
    { of: component('operational', 'manual', passed), source: 'monitor' },
    { of: component('operational', 'config', passed), source: 'monitor' },
    { of: component('operational', 'manual', unchecked), source: null },
    { of: component('major_outage', 'manual', unchecked), source: 'manual' },
    { of: component('degraded_performance', 'manual', passed), source: 'manual' },
    { of: component('major_outage', 'incident', passed), source: 'incident' },
    { of: component('operational', 'manual'), source: 'manual' },
  ] as const
  for (const { of, source } of cases) {
    t.equal(confirmedSourceOf(of), source, `${of.status} by ${of.statusSource}`)
  }
})

t.test('an operational period of a checked component names no manual source', async (t) => {
  const operational = { status: 'operational', source: 'manual' } as const
  t.equal(recordedSourceOf('ENDPOINT', operational), null)
  t.equal(recordedSourceOf('METRIC', { ...operational, source: 'config' }), null)
  t.equal(recordedSourceOf('SERVICE', operational), 'manual')
  t.equal(recordedSourceOf('ENDPOINT', { ...operational, status: 'major_outage' }), 'manual')
  t.equal(recordedSourceOf('ENDPOINT', { ...operational, source: 'incident' }), 'incident')
})
