/** Lines as people write them, with what the composer understands: the manual of the line. */
import t, { type Test } from 'tap'
import { type NamedComponent, parseLine } from './parse-line.ts'

const componentsOf = (...names: string[]): NamedComponent[] =>
  names.map((name, index) => ({ id: `${name}#${index}`, name }))

const components = componentsOf(
  ...['API', 'API Gateway', 'Checkout', 'Checkout Service EU', 'Payments, EU', 'Search'],
  ...[
    'Webhooks Inbound',
    'Webhooks Outbound',
    'Identität',
    'الدفع',
    'البحث',
    '決済',
    '決済サービス',
  ],
  ...['検索エンジン', 'iOS app', 'CI/CD', 'Down Detector', '<b>Maps</b>'],
)

const MAJOR = 'major_outage'
const PARTIAL = 'partial_outage'
const DEGRADED = 'degraded_performance'

type Case = [line: string, found: Record<string, string>, title?: string]

const checkCases = (t: Test, cases: readonly Case[]) => {
  for (const [line, found, title] of cases) {
    const parsed = parseLine(line, components)
    const statuses = parsed.components.map(({ id, status }) => [id.split('#', 1)[0], status])
    t.same(Object.fromEntries(statuses), found, line)
    t.same(parsed.ambiguous, [], `${line}: nothing is ambiguous`)
    if (title !== undefined) t.equal(parsed.title, title, `${line}: title`)
  }
}

t.test('names and statuses', async (t) => {
  checkCases(t, [
    ['API down', { API: MAJOR }, 'API down'],
    ['API, Checkout down', { API: MAJOR, Checkout: MAJOR }, 'API, Checkout down'],
    ['api and checkout are down', { API: MAJOR, Checkout: MAJOR }, 'API and Checkout are down'],
    ['API slow, Checkout down', { API: DEGRADED, Checkout: MAJOR }],
    ['API down, Checkout', { API: MAJOR, Checkout: MAJOR }],
    ['API & Search: errors', { API: PARTIAL, Search: PARTIAL }],
    ['outage of API', { API: MAJOR }, 'Outage of API'],
    ['Outage of API, Checkout slow', { API: MAJOR, Checkout: DEGRADED }],
    ['down: API, Checkout', { API: MAJOR, Checkout: MAJOR }],
    ['API partially down', { API: PARTIAL }],
    ['API', { API: DEGRADED }, 'API'],
    ['', {}, ''],
    ['something is broken', {}, 'Something is broken'],
  ])
})

t.test('names are the longest that match, whatever their characters', async (t) => {
  checkCases(t, [
    ['API Gateway down', { 'API Gateway': MAJOR }],
    ['Payments, EU down', { 'Payments, EU': MAJOR }],
    [
      'API, payments, eu, Search slow',
      { API: DEGRADED, 'Payments, EU': DEGRADED, Search: DEGRADED },
    ],
    ['CI/CD offline', { 'CI/CD': MAJOR }],
    ['Down Detector slow', { 'Down Detector': DEGRADED }],
    ['iOS app down', { 'iOS app': MAJOR }, 'iOS app down'],
    ['identitat down', { Identität: MAJOR }, 'Identität down'],
    ['IDENTITÄT down', { Identität: MAJOR }],
    ['<b>Maps</b> down', { '<b>Maps</b>': MAJOR }, '<b>Maps</b> down'],
    ['api.example.com down', {}, 'Api.example.com down'],
    ['apis down', {}, 'Apis down'],
    ['search  down', { Search: MAJOR }, 'Search down'],
  ])
})

t.test('the beginning of a name, or of its words, at the start of a phrase', async (t) => {
  checkCases(t, [
    ['ident down', { Identität: MAJOR }, 'Identität down'],
    [
      'sea down, pay slow',
      { Search: MAJOR, 'Payments, EU': DEGRADED },
      'Search down, Payments, EU slow',
    ],
    ['check ser down', { 'Checkout Service EU': MAJOR }, 'Checkout Service EU down'],
    ['API and sea down', { API: MAJOR, Search: MAJOR }],
    ['gateway down', { 'API Gateway': MAJOR }, 'API Gateway down'],
    ['se down', {}, 'Se down'],
    ['API down in search results', { API: MAJOR, Search: MAJOR }],
    ['API down for paying customers', { API: MAJOR }, 'API down for paying customers'],
  ])
})

t.test('words that are not known stay in the title', async (t) => {
  checkCases(t, [
    ['API down in Frankfurt since 9:30', { API: MAJOR }, 'API down in Frankfurt since 9:30'],
    ['customers report: checkout slow', { Checkout: DEGRADED }, 'Customers report: Checkout slow'],
  ])
})

t.test('statuses in each language', async (t) => {
  checkCases(t, [
    ['API-Ausfall', { API: MAJOR }],
    ['API und Checkout nicht erreichbar', { API: MAJOR, Checkout: MAJOR }],
    ['Störung bei Search', { Search: PARTIAL }],
    ['Search langsam', { Search: DEGRADED }],
    ['Panne de l’API', { API: MAJOR }],
    ['API et Checkout indisponibles', { API: MAJOR, Checkout: MAJOR }],
    ['panne partielle de Search', { Search: PARTIAL }],
    ['Search dégradée', { Search: DEGRADED }],
    ['API caída', { API: MAJOR }],
    ['API y Checkout fuera de servicio', { API: MAJOR, Checkout: MAJOR }],
    ['Search lenta, API interrupción parcial', { Search: DEGRADED, API: PARTIAL }],
    ['APIがダウン', { API: MAJOR }],
    ['ＡＰＩとCheckoutが停止', { API: MAJOR, Checkout: MAJOR }],
    ['決済が遅い', { 決済: DEGRADED }],
    ['決済サービスで一部障害', { 決済サービス: PARTIAL }],
    ['検索が停止', { 検索エンジン: MAJOR }, '検索エンジンが停止'],
    ['الدفع متوقف', { الدفع: MAJOR }],
    ['الدفع والبحث لا يعمل', { الدفع: MAJOR, البحث: MAJOR }],
    ['البحث بطيء، الدفع انقطاع جزئي', { البحث: DEGRADED, الدفع: PARTIAL }],
    ['انقطاع في API', { API: MAJOR }],
  ])
})

t.test('a text that several components match is a choice', async (t) => {
  const ambiguousOf = (line: string, known = components) =>
    parseLine(line, known).ambiguous.map(({ text, candidateIds, status }) => [
      text,
      candidateIds.map((id) => id.split('#', 1)[0]),
      status,
    ])
  t.same(ambiguousOf('webh down'), [['webh', ['Webhooks Outbound', 'Webhooks Inbound'], MAJOR]])
  t.same(ambiguousOf('API, check slow'), [['check', ['Checkout Service EU', 'Checkout'], DEGRADED]])
  const numbered = componentsOf('Node 4 in Paris', 'Node 42 in Paris', 'Node 43 in Rome')
  t.same(ambiguousOf('node 4 down', numbered), [], 'a whole word is a better match')
  t.match(parseLine('node 4 down', numbered).components, [{ id: 'Node 4 in Paris#0' }])
  t.equal(ambiguousOf('nod 4 down', numbered).length, 0)
  t.equal(ambiguousOf('node down', numbered).length, 1)
  const twice = componentsOf('API', 'API', 'Search')
  const parsed = parseLine('API and Search down', twice)
  t.same(parsed.ambiguous, [{ text: 'API', candidateIds: ['API#0', 'API#1'], status: MAJOR }])
  t.same(parsed.components, [{ id: 'Search#2', status: MAJOR }])
  t.equal(parsed.title, 'API and Search down')
})

t.test('a line of names alone has no words', async (t) => {
  t.equal(parseLine('API, Checkout', components).hasWords, false)
  t.equal(parseLine('API and Checkout', components).hasWords, false)
  t.equal(parseLine('API down', components).hasWords, true)
  t.equal(parseLine('errors', components).hasWords, true)
})

t.test('a long line of an organization with many components takes no time', async (t) => {
  const many = componentsOf(...Array.from({ length: 1_000 }, (_none, index) => `Service ${index}`))
  const parsed = parseLine(`${'Service 7, ser '.repeat(17)}down`.slice(0, 255), many)
  t.equal(parsed.components[0]?.id, 'Service 7#7')
})
