/** Data files: scripts beside the page that hand over their data when they run. The latest stay in memory. */

declare global {
  interface Window {
    jobvaultData: (key: string, data: unknown) => void;
  }
}

/** A search may read thousands: a page that keeps them all is too much for a browser. */
const KEPT = 300;

const arrived = new Map<string, unknown>();
const loading = new Map<string, Promise<unknown>>();
/** The one that was asked for last comes last. */
const kept = new Map<string, unknown>();

export function acceptData(): void {
  window.jobvaultData = (key, data) => void arrived.set(key, data);
}

/** @param key its path below `data/`, without `.js`: made of numbers and fixed words alone */
export function load<T>(key: string): Promise<T> {
  if (kept.has(key)) {
    keep(key, kept.get(key));
    return Promise.resolve(kept.get(key) as T);
  }
  const before = loading.get(key);
  if (before) return before as Promise<T>;
  const loaded = new Promise<unknown>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `data/${key}.js`;
    script.onload = () => {
      script.remove();
      // one that is cut off does not run: nothing has arrived
      if (!arrived.has(key)) {
        reject(new Error(`data/${key}.js is damaged: make the report again`));
        return;
      }
      const data = arrived.get(key);
      arrived.delete(key);
      keep(key, data);
      resolve(data);
    };
    script.onerror = () => {
      script.remove();
      reject(new Error(`data/${key}.js is missing: is the data folder beside the page whole?`));
    };
    document.head.append(script);
  }).finally(() => loading.delete(key));
  loading.set(key, loaded);
  return loaded as Promise<T>;
}

function keep(key: string, data: unknown): void {
  kept.delete(key);
  kept.set(key, data);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}
