/** Data files: scripts beside the page that hand over their data when they run. Each is loaded once. */

declare global {
  interface Window {
    jobvaultData: (key: string, data: unknown) => void;
  }
}

const arrived = new Map<string, unknown>();
const asked = new Map<string, Promise<unknown>>();

export function acceptData(): void {
  window.jobvaultData = (key, data) => void arrived.set(key, data);
}

/** @param key its path below `data/`, without `.js`: made of numbers and fixed words alone */
export function load<T>(key: string): Promise<T> {
  const before = asked.get(key);
  if (before) return before as Promise<T>;
  const loading = new Promise<unknown>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `data/${key}.js`;
    script.onload = () => {
      script.remove();
      resolve(arrived.get(key));
      arrived.delete(key);
    };
    script.onerror = () => {
      script.remove();
      asked.delete(key);
      reject(new Error(`data/${key}.js is missing: is the data folder beside the page whole?`));
    };
    document.head.append(script);
  });
  asked.set(key, loading);
  return loading as Promise<T>;
}
