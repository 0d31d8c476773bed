import os
import uuid

from baton.domain.ids import ordered_id, random_id


def test_ordered_ids_are_distinct_uuids_of_version_7() -> None:
    ids = [ordered_id() for _ in range(5000)]
    assert len(set(ids)) == len(ids)
    assert {uuid.UUID(each).version for each in ids} == {7}
    assert {uuid.UUID(each).variant for each in ids} == {uuid.RFC_4122}


def test_ordered_ids_grow_with_time() -> None:
    stamps = [ordered_id()[:13] for _ in range(5000)]
    assert stamps == sorted(stamps)


def test_random_ids_are_distinct_uuids_of_version_4() -> None:
    ids = [random_id() for _ in range(5000)]
    assert len(set(ids)) == len(ids)
    assert {uuid.UUID(each).version for each in ids} == {4}
    assert all(str(uuid.UUID(each)) == each for each in ids)


def test_a_forked_child_makes_other_ids_than_its_parent() -> None:
    random_id()
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write_end, random_id().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read_end, 36).decode() != random_id()
    os.close(read_end)
    os.close(write_end)
