/** Domains: several organizations may claim one, only one of them can verify it. */
import t from 'tap'
import { asMember, registerMember, type SignedInMember } from '../../gateway.fixture.ts'
import { audited, callApi } from '../../organization.fixture.ts'
import { ssoGateway, verifyDomain } from '../single-sign-on/single-sign-on.fixture.ts'

const claim = (gateway: Parameters<typeof callApi>[0], member: SignedInMember, domain: string) =>
  callApi(gateway, 'POST /organization/domains', asMember(member), { domain })

t.test('a domain is claimed, verified by its TXT record and removed', async (t) => {
  const gateway = await ssoGateway(t)
  const owner = await registerMember(gateway)
  const headers = asMember(owner)
  const alreadyClaimed = await claim(gateway, owner, 'Example.COM')
  t.equal(alreadyClaimed.statusCode, 201, alreadyClaimed.body)
  t.match(alreadyClaimed.json(), {
    domain: 'example.com',
    status: 'pending',
    txtName: '_status-page.example.com',
    txtValue: /^status-page-verification=[\w-]{43}$/,
    verifiedAt: null,
  })
  t.equal((await claim(gateway, owner, 'example.com')).statusCode, 409, 'claimed already')
  const verify = () => callApi(gateway, 'POST /organization/domains/EXAMPLE.com/verify', headers)
  const missing = await verify()
  t.equal(missing.statusCode, 409)
  t.match(missing.json().error.details, { reason: 'invalid_state' })
  const { txtName, txtValue } = alreadyClaimed.json()
  for (const wrong of ['', `${txtValue}x`, `v=spf1 ${txtValue}`, txtValue.slice(0, -1)]) {
    gateway.texts[txtName] = [wrong]
    t.equal((await verify()).statusCode, 409, 'a whole record or none')
  }
  gateway.texts[txtName] = ['v=spf1 -all', txtValue]
  const proved = await verify()
  t.equal(proved.statusCode, 200, proved.body)
  t.match(proved.json(), { status: 'verified', verifiedAt: /Z$/ })
  t.same((await verify()).json(), proved.json(), 'again changes nothing')
  const listed = await callApi(gateway, 'GET /organization/domains', headers)
  t.same(listed.json(), { data: [proved.json()], meta: { total: 1, page: 1, pageSize: 20 } })
  const remove = () => callApi(gateway, 'DELETE /organization/domains/example.com', headers)
  t.same((await remove()).json(), { success: true })
  t.equal((await remove()).statusCode, 404)
  t.equal((await verify()).statusCode, 404)
  const actions = (await audited(gateway, owner)).map(({ action }) => action)
  t.same(actions.slice(-3), ['domain.create', 'domain.update', 'domain.delete'])
})

t.test('only one organization can verify a domain; a claim alone blocks no other', async (t) => {
  const gateway = await ssoGateway(t)
  const [first, second] = [await registerMember(gateway), await registerMember(gateway)]
  t.equal((await claim(gateway, first, 'example.com')).statusCode, 201)
  await verifyDomain(gateway, second, 'example.com')
  const txt = (await callApi(gateway, 'GET /organization/domains', asMember(first))).json().data[0]
  gateway.texts[txt.txtName] = [txt.txtValue]
  const path = 'POST /organization/domains/example.com/verify'
  const taken = await callApi(gateway, path, asMember(first))
  t.equal(taken.statusCode, 409)
  t.match(taken.json().error.details, { reason: 'duplicate' })
  await callApi(gateway, 'DELETE /organization/domains/example.com', asMember(second))
  t.equal((await callApi(gateway, path, asMember(first))).statusCode, 200, 'once it is given up')
})

t.test('only domain names are accepted', async (t) => {
  const gateway = await ssoGateway(t)
  const owner = await registerMember(gateway)
  for (const domain of [
    '',
    'localhost',
    'a b.com',
    'http://example.com',
    '*.example.com',
    '1.2.3.4',
  ]) {
    t.equal((await claim(gateway, owner, domain)).statusCode, 400, domain)
  }
  t.equal((await claim(gateway, owner, 'bücher.example')).json().domain, 'xn--bcher-kva.example')
})
