/** Mail written to a folder equals the mail that a server would receive, complete and once. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createFolderMailer } from './mail-folder.ts'
import type { Mail } from './smtp.ts'

const mail = (change: Partial<Mail> = {}): Mail => ({
  from: { name: 'Status', address: 'status@example.com' },
  to: { address: 'reader@example.com' },
  subject: 'API is down',
  text: 'We are on it.',
  messageId: '<delivery-1@example.com>',
  headers: { 'List-Id': '<status.example.com>' },
  ...change,
})

const folderOf = (t: { testdir(): string }) => {
  const folder = join(t.testdir(), 'mail')
  const mailer = createFolderMailer(folder)
  return { folder, send: (one: Mail) => mailer.send(one, { timeoutMs: 1_000 }) }
}

t.test('a mail is one file with its headers and its text, also after a retry', async (t) => {
  const { folder, send } = folderOf(t)
  t.match(await send(mail()), { ok: true })
  await send(mail({ text: 'The second attempt.' }))
  t.same(await readdir(folder), ['delivery-1_example.com.eml'])
  const raw = await readFile(join(folder, 'delivery-1_example.com.eml'), 'utf8')
  t.match(raw, /^To: reader@example\.com$/m)
  t.match(raw, /^Message-ID: <delivery-1@example\.com>$/m)
  t.match(raw, /^List-I[dD]: <status\.example\.com>$/m)
  t.match(raw, /The second attempt\./)
})

t.test('no Message-ID writes outside of the folder', async (t) => {
  const { folder, send } = folderOf(t)
  await send(mail({ messageId: '<../../outside@example.com>' }))
  const files = await readdir(folder)
  t.equal(files.length, 1)
  t.notMatch(files[0], /\//)
})

t.test('invalid addresses fail as with a server', async (t) => {
  const { send } = folderOf(t)
  t.match(await send(mail({ to: { address: 'a@example.com, b@example.com' } })), {
    class: 'bad_address',
  })
  t.match(await send(mail({ from: { name: '', address: 'nobody' } })), { class: 'policy' })
})

t.test('a folder that is not writable is a transient failure', async (t) => {
  const mailer = createFolderMailer(join(t.testdir({ taken: 'a file' }), 'taken'))
  t.same(await mailer.send(mail(), { timeoutMs: 1_000 }), { ok: false, class: 'transient' })
})
