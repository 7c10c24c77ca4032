import pytest

from cosyedge.errors import AnnouncementError, ConfigError
from cosyedge.mqtt.topics import COMMANDS, WARM, Topics, check_response_topic


def test_a_node_listens_to_itself_to_all_and_to_its_groups_and_to_nothing_else() -> None:
    topics = Topics("kitchen", ("floor-1", "adults"))
    heard = {topic: topics.command_of(topic) for topic in topics.subscriptions}
    assert heard == {
        "cosyedge/kitchen/say": "say",
        "cosyedge/kitchen/render": "render",
        "cosyedge/kitchen/play": "play",
        "cosyedge/all/say": "say",
        "cosyedge/group/floor-1/say": "say",
        "cosyedge/group/adults/say": "say",
        **{f"cosyedge/kitchen/{command}": command for command in (WARM, *COMMANDS)},
    }
    assert topics.command_of("cosyedge/cellar/say") is None
    assert topics.client_id == "cosyedge-kitchen"


@pytest.mark.parametrize(
    "name", ["", "a/b", "+", "#", "a#", "küche", "a b", "a\0", "kitchen\n", "x" * 65, "..", "all", "group"]
)
def test_a_name_that_reaches_beyond_its_level_is_refused(name: str) -> None:
    with pytest.raises(ConfigError) as of_node:
        Topics(name)
    with pytest.raises(ConfigError) as of_group:
        Topics("kitchen", ("good", name))
    assert of_node.value.code == of_group.value.code == "config_bad_value"


@pytest.mark.parametrize("name", ["k", "Kitchen_2", "x" * 64, "all-rooms"])
def test_other_names_are_taken(name: str) -> None:
    assert Topics(name, (name,)).base == f"cosyedge/{name}"


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "a/+/b",
        "replies/#",
        "a\0b",
        "$SYS/broker",
        "$share/x/y",
        "x" * 1025,
        "é" * 513,
        "cosyedge/kitchen/say",
        "cosyedge/cellar/say",
        "cosyedge/all/say",
        "cosyedge/group/adults/say",
        "cosyedge/kitchen/volume/set",
        "cosyedge/kitchen/stop",
        "cosyedge/kitchen/render",
        "cosyedge/kitchen/cache/warm",
        "cosyedge/kitchen/availability",
        "cosyedge/kitchen/health",
    ],
)
def test_a_reply_never_goes_where_it_would_be_taken_for_something_else(topic: str) -> None:
    with pytest.raises(AnnouncementError) as error:
        check_response_topic(topic)
    assert error.value.code == "bad_value"


@pytest.mark.parametrize(
    "topic",
    [
        "replies",
        "cosyedge/attic/play",
        "home/assistant/reply/1",
        "cosyedge/kitchen/replies/7",
        "say",
        "a/say",
        "x" * 1024,
    ],
)
def test_a_reply_goes_anywhere_else(topic: str) -> None:
    assert check_response_topic(topic) == topic
