/**
 * Texts of one language that are loaded. A view that reads an area which is not loaded suspends
 * until it is, so that no view has to name the areas of its parts.
 */
import { use } from 'react'
import { loadModule } from '../modules/load-module.ts'
import type { Area, LanguageTexts, Texts } from './en/index.ts'

export class LoadedTexts {
  readonly texts: Texts
  readonly #areas: LanguageTexts['areas']
  readonly #loads = new Map<Area, Promise<void>>()
  readonly #loaded: Partial<Record<Area, unknown>> = {}

  constructor({ frame, areas }: LanguageTexts) {
    this.#areas = areas
    const getters = this.names.map((name) => [name, { get: () => this.#read(name) }] as const)
    // Getters of the prototype: a rest of a destructured object has the texts of the frame alone.
    this.texts = Object.assign(Object.create({}, Object.fromEntries(getters)), frame)
  }

  get names(): Area[] {
    return Object.keys(this.#areas) as Area[]
  }

  /** Loads areas ahead, so that the views that read them do not wait. */
  async load(areas: readonly Area[] = this.names): Promise<void> {
    await Promise.all(areas.map((name) => this.#load(name)))
  }

  #read(name: Area): unknown {
    if (!(name in this.#loaded)) use(this.#load(name))
    return this.#loaded[name]
  }

  #load(name: Area): Promise<void> {
    const known = this.#loads.get(name)
    if (known !== undefined) return known
    const load = loadModule<unknown>(this.#areas[name]).then(
      (texts) => {
        this.#loaded[name] = texts
      },
      (error: unknown) => {
        // The next read tries again, for example once the browser is online.
        this.#loads.delete(name)
        throw error
      },
    )
    this.#loads.set(name, load)
    return load
  }
}
