/** The alert rules are valid and fire as documented; checked by promtool, if this machine has it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const hasPromtool = spawnSync('promtool', ['--version']).status === 0
const skip = hasPromtool ? false : 'this machine has no promtool'

t.test('rules and their unit tests pass', { skip }, async (t) => {
  for (const parameters of [
    ['check', 'rules', pathOf('alerts.yml')],
    ['test', 'rules', pathOf('alerts.test.yml')],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', parameters, { encoding: 'utf8' })
    t.equal(status, 0, `${stdout}${stderr}`)
  }
})

t.test('docs/operating.md describes what to do for every alert', async (t) => {
  const rules: { groups: { rules: { alert: string }[] }[] } = parse(
    readFileSync(pathOf('alerts.yml'), 'utf8'),
  )
  const document = readFileSync(pathOf('../../docs/operating.md'), 'utf8')
  for (const { alert } of rules.groups.flatMap((group) => group.rules)) {
    t.ok(document.includes(`\`${alert}\``), alert)
  }
})
