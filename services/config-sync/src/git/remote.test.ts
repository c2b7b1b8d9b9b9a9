/** Accepted repository URLs, branches and paths; none can be read as a command-line option. */
import { execFileSync } from 'node:child_process'
import { outboundPolicy } from '@status-page/outbound'
import t from 'tap'
import { isBranchName, isConfigPath, parseRemote } from './remote.ts'
import { supportedVersion } from './version.ts'

const policy = outboundPolicy({ allowCidrs: [], ownHosts: ['core:8080'] })
const parse = (text: string) => parseRemote(text, policy)

t.test('https, ssh and the scp form are accepted', async (t) => {
  t.same(parse('https://GitHub.com/acme/status.git'), {
    ok: true,
    remote: {
      scheme: 'https',
      url: 'https://github.com/acme/status.git',
      host: 'github.com',
      port: 443,
      name: 'acme/status',
    },
  })
  t.match(parse('https://git.example.com:8443/a/b/c/'), { remote: { port: 8443, name: 'a/b/c' } })
  t.match(parse('git@github.com:acme/status.git'), {
    remote: { scheme: 'ssh', url: 'ssh://git@github.com/acme/status.git', port: 22 },
  })
  t.match(parse('ssh://git@git.example.com:2222/acme/status'), {
    remote: { url: 'ssh://git@git.example.com:2222/acme/status', port: 2222, name: 'acme/status' },
  })
})

t.test('any other form and internal addresses are rejected', async (t) => {
  const hostile = [
    'http://github.com/a/b',
    'git://github.com/a/b',
    'file:///etc/passwd',
    '/etc',
    'ext::sh',
    'https://user:pass@github.com/a/b',
    'https://github.com/',
    'https://github.com',
    'https://github.com/a/b?x=1',
    'https://github.com/--upload-pack=x/b',
    'https://x y/a',
    'https://127.0.0.1/a',
    'https://2130706433/a',
    'https://169.254.169.254/a',
    'https://localhost/a',
    'https://core:8080/a',
    'https://[::1]/a',
    'https://git/a',
    '--upload-pack=touch /tmp/x',
    '-u',
    'ssh://root@github.com/a',
    'root@github.com:a',
    'ssh://git@-oProxyCommand=x/a',
    'git@-oProxyCommand=x:a',
    'git@127.0.0.1:a',
    'git@github.com:-x/a',
    'git@github.com:../../etc',
    'git@github.com:a b',
    'git@github.com:',
    'ssh://git@github.com:25/a',
    'ssh://git@github.com:99999/a',
    'git@github.com:a;b',
    'ssh://git@github.com/a$(x)',
    'ssh://git@github.com/a\n',
    "git@github.com:a'b",
  ]
  for (const text of hostile) t.match(parse(text), { ok: false, message: String }, text)
})

t.test('a branch is valid exactly if git accepts it', async (t) => {
  const names = [
    'main',
    'release/1.2',
    'a.b_c-d',
    'v1',
    'a/b/c',
    'a..b',
    'a//b',
    'a.lock',
    'a/',
    'a.',
    'HEAD',
    'head',
  ]
  for (const name of [...names, 'a/.b', 'a.lock/b', 'x'.repeat(200)]) {
    const takes = () => {
      try {
        execFileSync('git', ['check-ref-format', '--branch', name], { stdio: 'ignore' })
        return true
      } catch {
        return false
      }
    }
    t.equal(isBranchName(name), takes(), name)
  }
  for (const name of ['-x', '--all', '', ' main', 'a b', 'a:b', '@{-1}', 'é', 'x'.repeat(201)]) {
    t.notOk(isBranchName(name), name)
  }
})

t.test('a path is relative, without .., and ends in .yaml or .yml', async (t) => {
  for (const path of ['statuspage.yaml', 'ops/status page.yml', 'a/b/c.yaml', 'é.yml']) {
    t.ok(isConfigPath(path), path)
  }
  const hostile = ['/etc/a.yaml', '../a.yaml', 'a/../b.yaml', './a.yaml', 'a//b.yaml', '-a.yaml']
  for (const path of [
    ...hostile,
    'a/-b.yaml',
    'a.json',
    'a.yaml/',
    'a\n.yaml',
    'a:b.yaml',
    'a\\b.yml',
  ]) {
    t.notOk(isConfigPath(path), path)
  }
})

t.test('git below 2.37 is not supported', async (t) => {
  t.equal(supportedVersion('git version 2.39.5\n'), '2.39.5')
  t.equal(supportedVersion('git version 2.50.1 (Apple Git-155)\n'), '2.50.1')
  t.equal(supportedVersion('git version 3.0.0'), '3.0.0')
  for (const output of ['git version 2.36.9', 'git version 1.99.0', '', 'nonsense']) {
    t.equal(supportedVersion(output), null, output)
  }
})
