/** Uploads: limits, tenants, references, and the public read of an image. */
import {
  componentBatchOperations,
  componentOperations,
  exportOperations,
  MAX_UPLOAD_BYTES,
  MAX_UPLOADED_BYTES,
  MAX_UPLOADS,
  uploadOperations as on,
  PAGE_DOMAIN_HEADER,
  statusPageOperations,
  type Upload,
} from '@status-page/contracts'
import { newId, write } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import { strFromU8, unzipSync } from 'fflate'
import t from 'tap'
import { BASE_URL, coreKit } from '../core.fixture.ts'
import { pictureOf, svgOf } from './images.fixture.ts'

const kit = await coreKit(t)

type One = ReturnType<typeof kit.as>

const send = async ({ request }: Pick<One, 'request'>, form: FormData) => {
  const packed = new Response(form)
  const headers = { 'content-type': packed.headers.get('content-type') ?? '' }
  return request(on.create, { headers, body: Buffer.from(await packed.arrayBuffer()) as never })
}

const formOf = (...files: (Buffer | string)[]): FormData => {
  const form = new FormData()
  for (const file of files) form.append('file', new File([Buffer.from(file)], 'x.html'))
  return form
}

const uploaded = async (one: One, file: Buffer | string): Promise<Upload> => {
  const { status, body } = await send(one, formOf(file))
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body
}

const colour = (fill: string) => svgOf(`<rect width="90" height="40" fill="${fill}"/>`)

const show = (url: string, headers: Record<string, string> = {}) => {
  const [, id = '', file = ''] = /\/uploads\/([^/]+)\/([^/]+)$/.exec(url) ?? []
  return kit.request(on.image, { params: { id, file }, headers })
}

const pageOf = async (one: One, body: object = {}) => {
  const slug = `s-${newId().slice(-12)}`
  return one.request(statusPageOperations.create, {
    body: { name: 'Acme', slug, isPublished: true, ...body },
  })
}

t.test('an image is uploaded, listed, read, served and deleted', async (t) => {
  const one = kit.as()
  const image = await uploaded(one, await pictureOf('png', { width: 480, height: 100 }))
  t.match(image, { contentType: 'image/png', width: 480, height: 100 })
  t.equal(image.url, `${BASE_URL}/uploads/${image.id}/${image.sha256}.png`)
  t.same((await one.request(on.list)).body.data, [image])
  const params = { id: image.id }
  t.same((await one.request(on.read, { params })).body, image)
  const served = await show(image.url)
  t.equal(served.status, 200)
  t.equal(served.bytes.length, image.bytes)
  t.match(served.headers, {
    'content-type': 'image/png',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    etag: `"${image.sha256}"`,
  })
  const known = await show(image.url, { 'if-none-match': `"${image.sha256}"` })
  t.same([known.status, known.bytes.length], [304, 0])
  t.equal((await show(image.url.replace('.png', '.svg'))).status, 404)
  t.equal((await show(image.url.replace(image.sha256, '0'.repeat(64)))).status, 404)
  t.same((await one.request(on.remove, { params })).body, { success: true })
  t.equal((await one.request(on.remove, { params })).status, 404)
  t.equal((await show(image.url)).status, 404)
  const { audit, events } = await kit.outbox(one.organizationId ?? '')
  t.same([audit, events], [['upload.create', 'upload.delete'], []])
})

t.test('the same image is stored once per organization', async (t) => {
  const [one, other] = [kit.as(), kit.as()]
  const both = await Promise.all([
    uploaded(one, colour('#123456')),
    uploaded(one, colour('#123456')),
  ])
  t.equal(both[0].id, both[1].id)
  t.equal((await one.request(on.list)).body.meta.total, 1)
  const theirs = await uploaded(other, colour('#123456'))
  t.equal(theirs.sha256, both[0].sha256)
  t.not(theirs.url, both[0].url)
})

t.test('a body that is not one image is refused and stores nothing', async (t) => {
  const one = kit.as()
  const png = await pictureOf('png')
  const named = new FormData()
  named.append('logo', new File([Buffer.from(png)], 'x.png'))
  const withField = formOf(png)
  withField.append('name', 'Logo')
  const asText = new FormData()
  asText.append('file', 'text')
  const table: [string, FormData, number, RegExp][] = [
    ['no part', new FormData(), 400, /^(?:file is required|body is not valid multipart)$/],
    ['a part of another name', named, 400, /must be named file/],
    ['another field', withField, 400, /^name is not a known field$/],
    ['a field instead of a file', asText, 400, /^file must have a file name$/],
    ['an empty file', formOf(''), 400, /^file must not be empty$/],
    ['two files', formOf(png, png), 400, /one file/],
    ['a GIF', formOf(await pictureOf('gif')), 400, /^file must be a PNG, JPEG, WebP or SVG image$/],
    [
      'one byte too many',
      formOf(Buffer.alloc(MAX_UPLOAD_BYTES + 1, 'x')),
      413,
      /^file must have at most 512 KiB$/,
    ],
    ['much too large', formOf(Buffer.alloc(2 * MAX_UPLOAD_BYTES)), 413, /./],
  ]
  for (const [name, form, status, message] of table) {
    const response = await send(one, form)
    t.equal(response.status, status, name)
    t.match(response.body.error.message, message, name)
  }
  const comment = Buffer.alloc(MAX_UPLOAD_BYTES, ' ')
  comment.write(colour('#abcdef'))
  t.equal((await send(one, formOf(comment))).status, 201, 'the maximum size')
  t.equal((await one.request(on.list)).body.meta.total, 1)
})

t.test('an organization has limits of its own', async (t) => {
  const one = kit.as()
  const organizationId = one.organizationId ?? ''
  const fill = (count: number, bytes: number) =>
    write(kit.database, { organizationId }, ({ tx }) =>
      tx.execute(sql`INSERT INTO uploads SELECT gen_random_uuid(), ${organizationId}, 'image/png', 1, 1,
        ${bytes}::int, gen_random_uuid()::text, now() FROM generate_series(1, ${count}::int)`),
    )
  await fill(MAX_UPLOADS - 1, 1)
  t.equal((await send(one, formOf(colour('#000001')))).status, 201)
  const full = await send(one, formOf(colour('#000002')))
  t.match(full, { status: 409, body: { error: { details: { reason: 'invalid_state' } } } })
  t.equal((await send(one, formOf(colour('#000001')))).status, 201, 'stored already')
  const other = kit.as()
  await write(kit.database, { organizationId: other.organizationId ?? '' }, ({ tx }) =>
    tx.execute(sql`INSERT INTO uploads VALUES (gen_random_uuid(), ${other.organizationId}, 'image/png', 1,
      1, ${MAX_UPLOADED_BYTES - 10}::int, 'x', now())`),
  )
  const large = await send(other, formOf(colour('#000001')))
  t.equal(large.status, 409)
  t.match(large.body.error.message, '20 MiB')
})

t.test('other organizations and roles without the right have no access', async (t) => {
  const one = kit.as()
  const image = await uploaded(one, colour('#222222'))
  const params = { id: image.id }
  for (const operation of [on.read, on.remove]) {
    t.equal((await kit.as().request(operation, { params })).status, 404, operation.id)
  }
  t.equal((await kit.as().request(on.list)).body.meta.total, 0)
  const viewer = kit.as(testCaller({ organizationId: one.organizationId ?? '', role: 'VIEWER' }))
  t.equal((await send(viewer, formOf(colour('#333333')))).status, 403)
  t.equal((await viewer.request(on.remove, { params })).status, 403)
  t.equal((await viewer.request(on.read, { params })).status, 200)
})

t.test('pages and components refer to uploads of their own organization only', async (t) => {
  const [one, other] = [kit.as(), kit.as()]
  const [own, foreign] = [
    await uploaded(one, colour('#444444')),
    await uploaded(other, colour('#555555')),
  ]
  const elsewhere = 'https://cdn.example/logo.png'
  t.equal((await pageOf(one, { logoUrl: elsewhere })).status, 201)
  const refused: [string, string][] = [
    [foreign.url, 'faviconUrl does not exist'],
    [own.url.replace(own.sha256, foreign.sha256), 'faviconUrl does not exist'],
    [own.url.replace('https:', 'http:'), 'faviconUrl must be an https URL or the URL of an upload'],
  ]
  for (const [faviconUrl, message] of refused) {
    const response = await pageOf(one, { faviconUrl })
    t.equal(response.status, 400, message)
    t.match(response.body.error, { message, details: { field: 'faviconUrl' } })
  }
  const component = (icon: string) =>
    one.request(componentOperations.create, { body: { type: 'SERVICE', name: newId(), icon } })
  t.match((await component(foreign.url)).body.error.details, { field: 'icon' })
  const { status, body } = await component(own.url)
  t.same([status, body.icon], [201, own.url])
  const params = { id: body.id }
  const change = (icon: string | null) =>
    one.request(componentOperations.update, { params, body: { icon } })
  t.equal((await change(foreign.url)).status, 400)
  const batch = await kit.request(componentBatchOperations.apply, {
    caller: testCaller({ organizationId: one.organizationId ?? '' }),
    body: {
      id: newId(),
      mode: 'apply',
      create: [{ id: newId(), component: { type: 'SERVICE', name: 'B', icon: foreign.url } }],
      update: [],
      remove: [],
    } as never,
  })
  t.match(batch, {
    status: 400,
    body: { error: { details: { field: 'create[0].component.icon' } } },
  })
  const removal = () => one.request(on.remove, { params: { id: own.id } })
  const used = await removal()
  t.match(used, { status: 409, body: { error: { details: { reason: 'in_use' } } } })
  t.match(used.body.error.message, body.name)
  await change(null)
  const page = await pageOf(one, { logoDarkUrl: own.url })
  t.match((await removal()).body.error.message, 'status page Acme')
  await one.request(statusPageOperations.remove, { params: { id: page.body.id } })
  t.equal((await removal()).status, 200)
})

t.test('an upload is not deleted while a page that refers to it is being stored', async (t) => {
  for (let round = 0; round < 5; round++) {
    const one = kit.as()
    const image = await uploaded(one, colour(`#66666${round}`))
    const [page, removal] = await Promise.all([
      pageOf(one, { logoUrl: image.url }),
      one.request(on.remove, { params: { id: image.id } }),
    ])
    const outcome = `${page.status} ${removal.status}`
    t.ok(['201 409', '400 200'].includes(outcome), outcome)
  }
})

t.test('a page shows its uploads by local URLs, also on its custom domain', async (t) => {
  const one = kit.as()
  const [logo, icon] = [
    await uploaded(one, colour('#777777')),
    await uploaded(one, colour('#888888')),
  ]
  await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API', icon: icon.url },
  })
  const { body: page } = await pageOf(one, { logoUrl: logo.url, faviconUrl: icon.url })
  t.equal(page.logoUrl, logo.url)
  const local = (url: string) => url.replace(BASE_URL, '')
  const { body: html } = await kit.http.inject({
    url: `/status/${page.slug}`,
    headers: kit.anonymous,
  })
  t.match(html, `<img class="logo" src="${local(logo.url)}"`)
  t.match(html, `<link rel="icon" href="${local(icon.url)}">`)
  t.match(html, `<img src="${local(icon.url)}" alt="" width="20"`)
  const domain = `status.${page.slug}.example`
  const onDomain = () => show(logo.url, { [PAGE_DOMAIN_HEADER]: domain })
  t.equal((await onDomain()).status, 404, 'an unknown domain')
  await write(kit.database, { organizationId: one.organizationId ?? '' }, ({ tx }) =>
    tx.execute(sql`UPDATE status_pages SET custom_domain = ${domain}, custom_domain_status = 'active'
      WHERE id = ${page.id}`),
  )
  t.equal((await onDomain()).status, 200)
  const foreign = await uploaded(kit.as(), colour('#999999'))
  t.equal((await show(foreign.url, { [PAGE_DOMAIN_HEADER]: domain })).status, 404)
})

t.test('the static export contains the images of the page', async (t) => {
  const one = kit.as()
  const [logo, icon] = [
    await uploaded(one, colour('#aaaaaa')),
    await uploaded(one, await pictureOf('png')),
  ]
  await uploaded(one, colour('#bbbbbb'))
  await one.request(componentOperations.create, {
    body: { type: 'SERVICE', name: 'API', icon: icon.url },
  })
  const { body: page } = await pageOf(one, { logoUrl: logo.url })
  const { bytes } = await one.request(exportOperations.export, { params: { id: page.id } })
  const files = unzipSync(bytes)
  const images = Object.keys(files).filter((path) => path.includes('/images/'))
  t.same(
    images.toSorted(),
    [`${page.slug}/images/${icon.sha256}.png`, `${page.slug}/images/${logo.sha256}.svg`].toSorted(),
  )
  t.equal(files[images[0] ?? '']?.length, images[0]?.endsWith('.svg') ? logo.bytes : icon.bytes)
  const html = strFromU8(files[`${page.slug}/index.html`] ?? new Uint8Array())
  t.match(html, `src="images/${logo.sha256}.svg"`)
  const history = Object.keys(files).find((path) => /history\/\d/.test(path)) ?? ''
  t.match(strFromU8(files[history] ?? new Uint8Array()), `src="../images/${logo.sha256}.svg"`)
})
