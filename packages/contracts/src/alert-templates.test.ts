/**
 * Templates of alert intakes: replaced in one pass, limited in length, values never parsed as
 * templates.
 */
import t from 'tap'
import {
  type AlertTemplateValues,
  alertLabelsIn,
  alertTemplateProblem,
  MAX_ALERT_VALUE,
  renderAlertTemplate,
} from './index.ts'

const values: AlertTemplateValues = {
  components: 'API, DB',
  impact: 'major',
  integration: 'Metrics',
  summary: '{{impact}} $& $1',
  description: '😀'.repeat(1000),
  labels: { team: 'Core' },
}

t.test('placeholders are replaced once, and unknown text stays unchanged', async (t) => {
  const cases: [template: string, text: string][] = [
    ['Problem with {{components}}', 'Problem with API, DB'],
    ['{{ impact }} {{labels.team}}{{labels.missing}}', 'major Core'],
    ['{{summary}}', '{{impact}} $& $1'],
    ['{{labels.constructor}}x', 'x'],
    ['{{{impact}}} {impact} {{', '{major} {impact} {{'],
  ]
  for (const [template, text] of cases) {
    t.equal(renderAlertTemplate(template, values, 255), text, template)
  }
  t.same(alertLabelsIn('{{labels.a}}', '{{ labels.b.c }} {{impact}}'), ['a', 'b.c'])
})

t.test('a rendered text never exceeds its limit', async (t) => {
  const long = '{{description}}'.repeat(20)
  t.equal(alertTemplateProblem(long), null)
  t.match(alertTemplateProblem(`${long}{{impact}}`), /at most 20/)
  const text = renderAlertTemplate(long, values, 100_000)
  t.ok(text.length <= 20 * MAX_ALERT_VALUE)
  t.ok(text.isWellFormed())
  t.equal(renderAlertTemplate(long, values, 10), '😀'.repeat(10))
  t.match(alertTemplateProblem('{{'.repeat(1000)), null)
  t.match(alertTemplateProblem('{{nothing}}'), /unknown placeholder "nothing"/)
})
