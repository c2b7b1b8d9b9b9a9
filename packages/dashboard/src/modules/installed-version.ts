/** Version of the dashboard that the service serves now. */
import { dashboardPath } from '../api/client.ts'

/** Whether the service responds with a document of another version. */
export const isOtherVersionInstalled = async (): Promise<boolean> => {
  try {
    const reply = await fetch(`${dashboardPath}/`, { cache: 'no-store' })
    if (!reply.ok) return false
    const installed = new DOMParser().parseFromString(await reply.text(), 'text/html')
    const script = entryScriptOf(installed)
    return script !== null && script !== entryScriptOf(document)
  } catch {
    return false
  }
}

/** Its name contains the hash of its content, in which the names of all other files are. */
const entryScriptOf = (page: Document): string | null =>
  page.querySelector('script[type=module][src]')?.getAttribute('src') ?? null
