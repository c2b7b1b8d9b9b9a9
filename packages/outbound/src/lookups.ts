/** Validation of many addresses at once, with a common limit of the time for DNS lookups. */

const LOOKUP_BUDGET_MS = 8_000
const MAX_CONCURRENT_LOOKUPS = 32

/**
 * Calls `validate` for each address. `mayResolve` is false after the budget: host names that were
 * not resolved within it are accepted, like names without a DNS response.
 */
export const validateAddresses = async <Address>(
  addresses: Iterable<Address>,
  validate: (address: Address, mayResolve: boolean) => Promise<void>,
): Promise<void> => {
  const deadline = performance.now() + LOOKUP_BUDGET_MS
  const waiting = [...addresses]
  const work = async () => {
    for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
      await validate(address, performance.now() < deadline)
    }
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOOKUPS }, work))
}
