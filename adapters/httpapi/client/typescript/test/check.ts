/** Throws unless the condition holds. */
export function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`It does not hold: ${what}`);
}

/** Returns what the promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("It was not rejected.");
}
