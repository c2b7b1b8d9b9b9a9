import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { tenantProblems } from './catalogue.ts'
import { testDatabase } from './database.ts'

const problemsOf = async (
  t: { teardown(work: () => unknown): void },
  migration: string,
): Promise<string[]> => {
  const core = await mkdtemp(join(tmpdir(), 'catalogue-'))
  t.teardown(() => rm(core, { recursive: true }))
  await writeFile(join(core, '0001_tables.sql'), migration)
  const { adminUrl } = await testDatabase(t, { services: ['core'], folders: { core } })
  return tenantProblems(adminUrl, 'core')
}

const table = (name: string, more = '') => `CREATE TABLE ${name} (id uuid PRIMARY KEY,
  organization_id uuid NOT NULL, UNIQUE (organization_id, id)${more});\n`

t.test('a guarded schema has no problems', async (t) => {
  const problems = await problemsOf(t, `${table('a')}-- tenant a\n`)
  t.same(problems, [])
})

t.test('every missing guard is named', async (t) => {
  const problems = await problemsOf(
    t,
    `${table('bare')}
    ${table('half')}
    ALTER TABLE half ENABLE ROW LEVEL SECURITY;
    CREATE TABLE keyless (id uuid PRIMARY KEY, organization_id uuid NOT NULL);
-- tenant keyless
    ${table('child', ', half_id uuid REFERENCES half (id)')}
-- tenant child
    ${table('opened')}
-- tenant opened
    CREATE POLICY everyone ON opened FOR SELECT USING (true);
    CREATE VIEW leaky AS SELECT * FROM opened;`,
  )
  t.same(problems.sort(), [
    'bare has no forced row-level security',
    'child: child_half_id_fkey lacks organization_id',
    'half has 0 policies of the organization',
    'half has no forced row-level security',
    'keyless has no unique key with organization_id',
    'opened: policy everyone applies to others than the system scope roles',
    'view leaky is not security_invoker',
  ])
})
