/** Values of the form of Git sync: those of the contract, and no secrets that would be stored. */
import {
  documentPermissions,
  GitCredential,
  gitAuthMethods,
  requirementOf,
} from '@status-page/contracts'
import t from 'tap'
import {
  authMethodsOf,
  credentialFields,
  credentialOf,
  documentRights,
  withoutUserInfo,
} from './git-sync-values.ts'

t.test('the form has every method and field of the contract', async (t) => {
  t.same([...authMethodsOf('github')], [...gitAuthMethods])
  const limits = Object.values(credentialFields)
    .flat()
    .map(({ name, isLong, maxLength }) => [name, isLong ? maxLength + 1 : maxLength] as const)
  const contractLimits = Object.entries(GitCredential.properties).map(
    ([name, { maxLength }]) => [name, maxLength] as const,
  )
  t.same(new Map(limits), new Map(contractLimits))
})

t.test('settings require the rights to all resources of a document', async (t) => {
  const needed = documentPermissions.flatMap((permission) =>
    (['CREATE', 'UPDATE'] as const).map((action) => requirementOf(permission, '', action).right),
  )
  t.same(documentRights, needed)
})

t.test('user information of https URLs is removed', async (t) => {
  const urls: [entered: string, stored: string][] = [
    ['https://token@github.com/acme/status', 'https://github.com/acme/status'],
    ['HTTPS://user:pass@word@host:8443/a?b=@c', 'HTTPS://host:8443/a?b=@c'],
    ['https://github.com/acme/@status', 'https://github.com/acme/@status'],
    ['ssh://git@github.com/acme/status', 'ssh://git@github.com/acme/status'],
    ['git@github.com:acme/status', 'git@github.com:acme/status'],
  ]
  for (const [entered, stored] of urls) t.equal(withoutUserInfo(entered), stored)
})

t.test('a credential has the entered fields of its method', async (t) => {
  t.equal(credentialOf('token', { token: ' ' }), undefined, 'the stored one remains')
  t.same(credentialOf('token', { token: ' abc ', privateKey: 'of ssh' }), { token: 'abc' })
  t.same(credentialOf('ssh_key', { privateKey: 'a\nb' }), { privateKey: 'a\nb\n' })
  t.equal(credentialOf('none', { token: 'abc' }), undefined)
})
