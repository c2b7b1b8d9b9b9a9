/**
 * Which role may do what, over every operation: the committed matrix says it, the door does it. After
 * a new operation `node services/gateway/src/roles/matrix.test.ts --write` adds its line, for review.
 */
import { readFile, writeFile } from 'node:fs/promises'
import {
  builtInRoles,
  callersOf,
  covers,
  fullPath,
  type Operation,
  operations,
  requirement,
  rightsOfRole,
} from '@status-page/contracts'
import t from 'tap'
import { asMember, join, testGateway } from '../gateway.fixture.ts'
import { joinAs } from '../organization.fixture.ts'

const matrixFile = new URL('./matrix.md', import.meta.url)
const ID = '019f0000-0000-7000-8000-000000000001'
const guarded = operations.filter(
  (one) => callersOf(one).includes('gateway') && requirement(one) !== null,
)

const lineOf = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const matrixText = (): string =>
  [
    '# Roles and operations',
    '',
    'Written by `matrix.test.ts`; a line that changes is a change of who may do what.',
    '',
    lineOf(['Operation', ...builtInRoles]),
    lineOf(['Operation', ...builtInRoles].map(() => '---')),
    ...guarded.map((one) =>
      lineOf([
        `${one.method} ${one.path}`,
        ...builtInRoles.map((role) =>
          covers({ kind: 'session', rights: rightsOfRole(role) }, one) ? 'yes' : '-',
        ),
      ]),
    ),
    '',
  ].join('\n')

if (process.argv.includes('--write')) await writeFile(matrixFile, matrixText())

t.setTimeout(300_000)

t.test('the committed matrix is what the contract grants', async (t) => {
  t.equal(await readFile(matrixFile, 'utf8'), matrixText())
})

t.test('a session of each role is refused exactly what the matrix refuses', async (t) => {
  const gateway = await testGateway(t)
  const owner = await join(gateway)
  const lines = (await readFile(matrixFile, 'utf8')).split('\n').slice(6)
  for (const [column, role] of builtInRoles.entries()) {
    const member = role === 'OWNER' ? owner : await joinAs(gateway, owner, role)
    const ask = (one: Operation) =>
      gateway.http.inject({
        method: one.method,
        url: fullPath(one).replaceAll(/\{\w+\}/g, ID),
        headers: asMember(member),
      })
    const wrong: string[] = []
    for (const [row, one] of guarded.entries()) {
      const cells = (lines[row] ?? '').split(' | ')
      const { statusCode } = await ask(one)
      const isRefused = cells[column + 1]?.startsWith('-')
      if (isRefused !== (statusCode === 403)) wrong.push(`${one.id}: ${statusCode}`)
    }
    t.same(wrong, [], role)
  }
})
