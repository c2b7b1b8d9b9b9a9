/** A program that opens connections itself receives no address that the policy blocks. */
import t from 'tap'
import { outboundPolicy } from './policy.ts'
import { checkSshServer, resolveCheckedAddress, resolveSshServer } from './untrusted-client.ts'

const policy = outboundPolicy({
  allowCidrs: [],
  ownHosts: ['core:8080'],
  resolver: {
    resolve: async (name) => (name === 'two.example.com' ? ['1.1.1.1', '10.0.0.1'] : ['1.1.1.1']),
  },
})
const ssh = (host: string, port = 22) => checkSshServer({ host, port }, policy)

t.test('an SSH server must be public in any spelling', async (t) => {
  t.same(ssh('GitHub.com.'), { ok: true, host: 'github.com', port: 22 })
  t.match(ssh('git.example.com', 2222), { ok: true })
  t.match(ssh('ssh.github.com', 443), { ok: true })
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '::1', 'localhost', 'git', 'core']) {
    t.match(ssh(host), { ok: false, reason: 'blocked' }, host)
  }
  for (const host of ['-oProxyCommand=x', 'a b', 'a/b', '', 'a@b', '%67it.example.com']) {
    t.match(ssh(host), { ok: false, reason: 'invalid' }, host)
  }
  t.match(ssh('git.example.com', 25), { ok: false, reason: 'blocked' })
})

t.test('one blocked address blocks the name, at save and at use', async (t) => {
  t.match(await resolveSshServer({ host: 'two.example.com', port: 22 }, policy), { ok: false })
  t.same(await resolveCheckedAddress('two.example.com', 443, policy), {
    ok: false,
    error: 'blocked',
  })
  t.same(await resolveCheckedAddress('one.example.com', 443, policy), {
    ok: true,
    address: '1.1.1.1',
  })
  t.same(await resolveCheckedAddress('169.254.169.254', 443, policy), {
    ok: false,
    error: 'blocked',
  })
})
