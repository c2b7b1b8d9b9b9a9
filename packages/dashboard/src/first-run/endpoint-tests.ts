/** Creates a component for each address and checks it at once. */
import { ApiError, type Schemas } from '@status-page/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { componentsQuery } from '../api/queries.ts'
import type { PastedAddress } from './addresses.ts'

/** Tests that run at once, so that a slow address does not delay all others. */
const CONCURRENCY = 3

type CheckReply = {
  success: boolean
  result: Pick<Schemas['Check'], 'statusCode' | 'responseTime' | 'error'>
}

export interface EndpointTest extends PastedAddress {
  /** Null until the component is created, and after its removal. */
  componentId: string | null
  /** Null until the check ends. */
  check: CheckReply | null
  /** Reason why the component was not created or checked. */
  error: unknown
  phase: 'waiting' | 'testing' | 'ended'
}

export const useEndpointTests = () => {
  const queryClient = useQueryClient()
  const [tests, setTests] = useState<readonly EndpointTest[]>([])
  const isRunning = tests.some(({ phase }) => phase !== 'ended')
  const change = (url: string, values: Partial<EndpointTest>) =>
    setTests((before) => before.map((test) => (test.url === url ? { ...test, ...values } : test)))

  const test = async ({ url, name }: PastedAddress): Promise<void> => {
    change(url, { phase: 'testing' })
    try {
      const componentId = await createEndpoint(url, name)
      change(url, { componentId })
      change(url, { check: await checkEndpoint(componentId) })
    } catch (error) {
      change(url, { error })
    }
    change(url, { phase: 'ended' })
    await queryClient.invalidateQueries(componentsQuery)
  }

  const run = async (addresses: readonly PastedAddress[]): Promise<void> => {
    const urls = new Set(addresses.map(({ url }) => url))
    const added = addresses.map((address) => ({ ...address, ...untested }))
    setTests((before) => [...added, ...before.filter(({ url }) => !urls.has(url))])
    await forEachConcurrently(addresses, test)
  }

  /** Tests a corrected address; throws when it is refused, and the former one then remains. */
  const correct = async (former: EndpointTest, corrected: PastedAddress): Promise<void> => {
    const { url, componentId } = former
    const id =
      componentId === null
        ? await createEndpoint(corrected.url, corrected.name)
        : await moveEndpoint(componentId, corrected)
    const tested = { ...untested, ...corrected, componentId: id, phase: 'testing' } as const
    setTests((before) =>
      before
        .filter((one) => one.url === url || one.url !== corrected.url)
        .map((one) => (one.url === url ? tested : one)),
    )
    const result = await checkEndpoint(id).then(
      (check) => ({ check }),
      (error: unknown) => ({ error }),
    )
    change(corrected.url, { ...result, phase: 'ended' })
    await queryClient.invalidateQueries(componentsQuery)
  }

  const remove = async ({ url, componentId }: EndpointTest): Promise<void> => {
    if (componentId !== null) await removeComponent(componentId)
    setTests((before) => before.filter((one) => one.url !== url))
    await queryClient.invalidateQueries(componentsQuery)
  }

  return { tests, isRunning, run, correct, remove }
}

const forEachConcurrently = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = [...items]
  const workQueue = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, workQueue))
}

const untested = { componentId: null, check: null, error: null, phase: 'waiting' } as const

const createEndpoint = async (url: string, name: string): Promise<string> => {
  const { data } = await api.POST('/api/v1/components', { body: { type: 'ENDPOINT', name, url } })
  return data.id
}

const moveEndpoint = async (id: string, { url, name }: PastedAddress): Promise<string> => {
  const body = { url, name }
  await api.PATCH('/api/v1/components/{id}', { params: { path: { id } }, body })
  return id
}

const checkEndpoint = async (id: string): Promise<CheckReply> =>
  (await api.POST('/api/v1/components/{id}/check', { params: { path: { id } } })).data

const NOT_FOUND = 404

const removeComponent = async (id: string): Promise<void> => {
  try {
    await api.DELETE('/api/v1/components/{id}', { params: { path: { id } } })
  } catch (error) {
    if (!(error instanceof ApiError && error.status === NOT_FOUND)) throw error
  }
}
