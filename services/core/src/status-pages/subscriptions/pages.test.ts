/** Pages of a subscriber: in the language and colours of the status page, and never cached. */
import {
  componentOperations,
  locales,
  subscriptionOperations as operations,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { documentLanguage, textsByLocale } from '@status-page/html/texts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)

const anyone = () => `${newId()}@example.com`

const published = async (settings: object = {}) => {
  const organization = kit.as()
  const shop = await organization.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Shop' },
  })
  await organization.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Search', parentComponentId: shop.body.id },
  })
  const slug = `p-${newId().slice(-12)}`
  const { body: page } = await organization.request(statusPageOperations.create, {
    body: { name: 'Acme <b>', slug, isPublished: true, ...settings },
  })
  const opened = (secret: string, recordId: string) =>
    kit.sealer.open(secret, {
      organizationId: organization.organizationId,
      purpose: 'mail-token',
      recordId,
    })
  /** Tokens of the last mail about the subscriber. */
  const lastOf = async (kind: string) => {
    const { events } = await kit.outbox(organization.organizationId)
    const emitted = events.findLast((event) => event.kind === kind)
    if (emitted === undefined) throw new Error(`No event ${kind} was published`)
    return emitted
  }
  const subscribe = async (more: object = {}) => {
    await organization.request(subscriberOperations.create, {
      body: { type: 'email', email: anyone(), ...more },
    })
    const { id, manageToken } = (await lastOf('subscriber.created')).data.subscriber
    return opened(manageToken, id)
  }
  const signUp = async () => {
    const body = { type: 'email', email: anyone() }
    await kit.request(operations.subscribe, { params: { slug }, body })
    const { aggregate, data } = await lastOf('subscriber.confirmation-requested')
    return opened(data.sealedToken, aggregate)
  }
  return { ...organization, slug, page, shopId: shop.body.id as string, subscribe, signUp }
}

const headersOfAll = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'content-security-policy': /script-src 'none'/,
}

t.test(
  'all pages are in the language of the status page, from confirmation to the end',
  async (t) => {
    for (const locale of locales) {
      const { page, signUp } = await published({ locale })
      const texts = textsByLocale[locale].statusPage.subscription
      const token = await signUp()
      const asked = await kit.request(operations.confirmPage, { params: { token } })
      const done = await kit.request(operations.confirmForm, { params: { token } })
      const [, managed = ''] = /href="\/subscriptions\/([^"]+)"/.exec(done.body) ?? []
      const params = { token: managed }
      const save = (fields: string) => kit.request(operations.manageForm, { params, body: fields })
      const steps: [{ body: string; headers: object }, string[]][] = [
        [asked, [texts.confirm, texts.notRequested, textsByLocale[locale].statusPage.confirm]],
        [done, [texts.confirmed, texts.choose]],
        [
          await kit.request(operations.managePage, { params }),
          [
            texts.yours,
            texts.allComponents,
            texts.withSubcomponents,
            texts.notifyMe,
            ...Object.values(texts.events),
          ],
        ],
        [await save('scope=all&event-incident.created=on'), [texts.saved]],
        [await save('scope=all'), [texts.noEvents]],
        [
          await save('scope=some&event-incident.created=on'),
          [textsByLocale[locale].statusPage.noneChosen],
        ],
        [
          await save('scope=all&component-1=on&event-incident.created=on'),
          [textsByLocale[locale].statusPage.bothChosen],
        ],
        [
          await kit.request(operations.unsubscribeForm, { params }),
          [texts.unsubscribe, texts.choose],
        ],
        [await kit.request(operations.unsubscribePage, { params }), [texts.ended]],
        [await kit.request(operations.managePage, { params }), [texts.ended]],
      ]
      for (const [{ body, headers }, words] of steps) {
        t.match(body, `<html lang="${locale}" dir="${documentLanguage(locale).direction}"`)
        t.match(headers, { ...headersOfAll, 'content-language': locale })
        for (const text of words) t.ok(body.includes(text), `${locale}: ${text}`)
        t.match(body, 'Acme &lt;b&gt;')
        t.match(body, `<a href="https://status.test/status/${page.slug}">`)
        t.match(body, /<bdi dir="ltr">.\*\*\*@example\.com<\/bdi>/)
        t.notMatch(body, /\{\}|undefined|\[object|<script/)
      }
    }
  },
)

t.test('a refused choice returns with everything that was ticked', async (t) => {
  const { page, shopId, subscribe } = await published()
  const token = await subscribe({ statusPageId: page.id })
  const boxOf = (name: string, value = 'on') => `name="${name}" value="${value}"`
  const refusedWith = async (body: string) => {
    const refused = await kit.request(operations.manageForm, { params: { token }, body })
    t.equal(refused.status, 400)
    return refused.body
  }
  const shop = boxOf(`component-${shopId}`)
  const withoutEvents = await refusedWith(`scope=some&component-${shopId}=on`)
  t.match(withoutEvents, `${boxOf('scope', 'some')} checked`)
  t.match(withoutEvents, `${shop} checked`)
  t.notMatch(withoutEvents, `${boxOf('event-incident.created')} checked`)
  const bothChosen = await refusedWith(`scope=all&component-${shopId}=on&event-incident.created=on`)
  t.match(bothChosen, `${boxOf('scope', 'some')} checked`, 'hidden boxes are shown')
  t.match(bothChosen, `${shop} checked`)
  const noneChosen = await refusedWith('scope=some&event-incident.created=on')
  t.match(noneChosen, `${boxOf('scope', 'some')} checked`)
  t.match(noneChosen, `${boxOf('event-incident.created')} checked`)
  t.notMatch(noneChosen, `${boxOf('event-incident.resolved')} checked`)
})

t.test('component names have their own direction on the page of a subscriber', async (t) => {
  const { page, subscribe } = await published({ locale: 'ar' })
  const params = { token: await subscribe({ statusPageId: page.id }) }
  const { body } = await kit.request(operations.managePage, { params })
  t.match(body, /name="component-[^"]+" value="on"[^>]*><bdi>[^<]+<\/bdi><\/label>/)
})

t.test(
  'a page has the colours and logo of the status page, and a link to a public one',
  async (t) => {
    const logo = 'https://a.example/logo.svg'
    const theme = { mode: 'dark', primaryColor: '#ff8800' }
    const { page, subscribe } = await published({ theme, logoUrl: logo })
    const token = await subscribe({ statusPageId: page.id })
    const { body, headers } = await kit.request(operations.managePage, { params: { token } })
    t.match(body, `<img class="logo" src="${logo}" alt="Acme &lt;b&gt;"`)
    t.match(body, '--link:#ff8800')
    t.match(body, 'data-mode="dark"')
    t.match(String(headers['content-security-policy']), "img-src 'self' https: data:")
    const hidden = await published({ isPublished: false })
    const other = await hidden.subscribe({ statusPageId: hidden.page.id })
    const unpublished = await kit.request(operations.managePage, { params: { token: other } })
    t.notMatch(unpublished.body, `href="https://status.test/status/${hidden.slug}"`)
  },
)

t.test('without a status page the language is that of the browser, else English', async (t) => {
  const { subscribe } = await published({ locale: 'ja' })
  const token = await subscribe()
  const languages: [string | null, keyof typeof textsByLocale][] = [
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['tlh, ar;q=0.5', 'ar'],
    ['tlh', 'en'],
    [null, 'en'],
  ]
  for (const [accepted, locale] of languages) {
    const headers: Record<string, string> = accepted === null ? {} : { 'accept-language': accepted }
    const request = (operation: typeof operations.managePage, of: string) =>
      kit.request(operation, { params: { token: of }, headers })
    const managed = await request(operations.managePage, token)
    t.match(managed.body, `<html lang="${locale}"`)
    t.match(managed.body, textsByLocale[locale].statusPage.subscription.yours)
    const dead = await request(operations.managePage, 'x'.repeat(43))
    t.equal(dead.status, 404)
    t.match(dead.body, `<html lang="${locale}" dir="${documentLanguage(locale).direction}"`)
    t.match(dead.body, textsByLocale[locale].statusPage.subscription.dead)
    for (const { headers: answered } of [managed, dead]) t.match(answered, headersOfAll)
  }
})

t.test('without a status page the components of public pages are offered', async (t) => {
  const { request, subscribe } = await published({ visibility: 'members' })
  const site = await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'web-7' },
  })
  const slug = `p-${newId().slice(-12)}`
  await request(statusPageOperations.create, {
    body: {
      name: 'Site',
      slug,
      isPublished: true,
      components: [{ componentId: site.body.id, displayName: 'Website' }],
    },
  })
  const token = await subscribe()
  const { body } = await kit.request(operations.managePage, { params: { token } })
  t.match(body, 'Website')
  t.notOk(/Shop|Search|web-7/.test(body))
  const managed = await kit.request(operations.read, { params: { token } })
  t.same(managed.body.components, [{ id: site.body.id, name: 'Website' }])
})

t.test('with a public page only the components of that page are offered', async (t) => {
  const { request, page, shopId, subscribe } = await published()
  await request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'customer-acme-db' },
  })
  const { body: changed } = await request(statusPageOperations.update, {
    params: { id: page.id },
    body: { components: [{ componentId: shopId, displayName: 'Store' }] },
  })
  const token = await subscribe({ statusPageId: changed.id })
  const { body } = await kit.request(operations.managePage, { params: { token } })
  t.match(body, 'Store')
  t.notOk(/customer-acme-db|>Shop</.test(body))
})
