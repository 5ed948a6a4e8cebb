"""A cluster without network, processes and clocks, whose workers are lost when a test says so."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from marginboost.dask.holders import DaskParts


def run_apart(task):
    """Run a coroutine in a thread of its own: in this one another test may have left a loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, task).result()


class Future:
    """What a worker has made, or is to make."""

    def __init__(self, cluster, key, value=None, status="finished"):
        self.cluster, self.key, self.value, self.status = cluster, key, value, status

    def release(self):
        self.cluster.released.append(self.key)
        self.cluster.actors.pop(self.key, None)

    def result(self, timeout):
        return Proxy(self.cluster, self.key)


class Proxy:
    """An actor from afar: calls return what has been done already."""

    def __init__(self, cluster, key):
        self.cluster, self.key = cluster, key

    def catch_up(self, *args):
        _, holder = self.cluster.actors[self.key]
        return Done(holder.catch_up(*args))


class Done:
    def __init__(self, answer):
        self.answer = answer

    def done(self):
        return True

    def result(self, timeout):
        return self.answer


class Rpc:
    """A worker that is talked to without the scheduler."""

    def __init__(self, cluster, worker):
        self.cluster, self.worker = cluster, worker

    async def identity(self):
        if not self.cluster.reachable:
            raise OSError("no way")

    async def actor_execute(self, **message):
        return await self.cluster.execute(self.worker, message, "direct")


class Cluster:
    """A cluster and the client of it.

    Parameters
    ----------
    rows : mapping of str to list of int
        Workers, and the numbers of the rows that each has made.
    make_source : callable
        From the number of rows to what a part is made of.
    """

    direct_to_workers = False

    def __init__(self, rows, make_source):
        self.there = dict.fromkeys(rows, 1)
        self.where = {f"rows {k}": {worker} for worker, mine in rows.items() for k in mine}
        self.sources = [Future(self, f"rows {k}", make_source(k)) for k in range(len(self.where))]
        self.actors, self.released, self.cancelled, self.messages = {}, [], [], []
        self.before = lambda worker, method: None
        self.reachable, self.recipe, self.slow = True, True, set()
        self.scheduler = self

    def kill(self, worker):
        """Lose a worker and all that it holds."""
        self.there.pop(worker, None)
        for source in self.sources:
            self.where[source.key].discard(worker)
            if not self.where[source.key]:
                source.status = "lost"
        self.actors = {k: (w, holder) for k, (w, holder) in self.actors.items() if w != worker}

    def wait(self, futures, timeout):
        """Time goes by: what was lost is made anew."""
        for future in futures:
            if future.status == "lost" and self.there:
                self.where[future.key] = {min(self.there)}
                future.status = "finished"

    def asked(self, method):
        """Workers that were asked for something, in order."""
        return [worker for worker, name, _ in self.messages if name == method]

    # -- as a client of Dask ----------------------------------------------------------------------

    def nthreads(self):
        return self.there

    def who_has(self, futures):
        return {future.key: sorted(self.where[future.key]) for future in futures}

    def sync(self, function, *args):
        return run_apart(function(*args))

    def run_on_scheduler(self, function, keys, lost=False):
        return not self.recipe

    def cancel(self, futures):
        self.cancelled += [future.key for future in futures]

    def submit(self, function, given, key=None, workers=None, pure=False, **options):
        (worker,) = workers
        if key is None:  # rows that are sent there
            copy = Future(self, f"{given.key} on {worker}", given.value)
            self.where[copy.key] = {worker}
            return copy
        assert options == {"allow_other_workers": False, "actor": True}
        future = Future(self, key, status="pending")
        self.before(worker, "make")
        if worker in self.there and future.status == "pending":
            self.actors[key] = worker, function([source.value for source in given])
            future.status = "finished"
        return future

    def rpc(self, worker):
        return Rpc(self, worker)

    # -- as its scheduler ------------------------------------------------------------------------

    async def ncores(self):
        return self.there

    async def proxy(self, worker, msg):
        message = dict(msg)
        assert message.pop("op") == "actor_execute"
        return await self.execute(worker, message, "scheduler")

    async def execute(self, worker, message, way):
        method, key = message["function"], message["actor"]
        assert message["kwargs"] == {}
        self.messages.append((worker, method, way))
        self.before(worker, method)
        while worker in self.slow:
            await asyncio.sleep(0.001)
        if worker not in self.there:
            raise OSError("the worker is gone")
        if key not in self.actors:
            return {"status": "error"}
        if method == "take_calls":
            return {"status": "OK", "result": False}
        return {"status": "OK", "result": getattr(self.actors[key][1], method)(*message["args"])}


def parts_on(rows, make_source):
    """Parts on a cluster in miniature, and the cluster."""
    cluster = Cluster(rows, make_source)
    return DaskParts(cluster, cluster.sources), cluster
